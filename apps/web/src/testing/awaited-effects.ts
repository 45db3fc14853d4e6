/**
 * Finds assertions of page tests that a busy machine makes fail: a page changes some time after an action, so the first thing that a test
 * asserts about it must be retried until it holds. What must not happen is asserted after something that must.
 */
import { parseAst } from 'rolldown/parseAst';

/** Methods of locators and `userEvent` that act like a person. */
const ACTIONS: ReadonlySet<string> = new Set([
  ...[
    'clear',
    'click',
    'copy',
    'cut',
    'dblClick',
    'dragAndDrop',
    'dropTo',
    'fill',
    'hover',
    'keyboard',
    'paste',
  ],
  ...['press', 'selectOptions', 'tab', 'tripleClick', 'type', 'unhover', 'upload'],
]);
/** Wait until a condition holds. */
const RETRIES: ReadonlySet<string> = new Set(['expect.element', 'expect.poll', 'vi.waitFor', 'vi.waitUntil']);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** The lines of assertions that do not wait for the action before them. */
export function findUnawaited(source: string): number[] {
  const program = parseAst(source, { lang: 'tsx' }) as unknown as Node;
  const found: number[] = [];
  /** Functions of the file that end with an action. */
  const acting = new Set<string>();

  /** Whether the last thing that is awaited is an action. */
  const visitBody = (body: Node): boolean => {
    let hasActed = false;
    const visit = (node: Node): void => {
      if (node !== body && isFunction(node)) return void visitBody(node);
      if (node.type === 'VariableDeclarator' && isFunction(node.init)) {
        if (visitBody(node.init)) acting.add(nameOf(node.id));
        return;
      }
      for (const child of childrenOf(node)) visit(child);
      if (node.type === 'AwaitExpression') {
        const called = calleeOf(node.argument as Node);
        if (RETRIES.has(called.slice(0, 2).join('.'))) hasActed = false;
        else if (isAction(called) || acting.has(called.join('.'))) hasActed = true;
      }
      if (hasActed && isAssertion(node)) found.push(source.slice(0, node.start).split('\n').length);
    };
    visit(body);
    return hasActed;
  };
  visitBody(program);
  return found;
}

function isFunction(node: unknown): node is Node {
  return isNode(node) && /^(?:ArrowFunction|Function)(?:Expression|Declaration)$/.test(node.type);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** In the order of the source. */
function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => a.start - b.start);
}

/** The names of a chain of calls: `expect.poll(f).toBe(1)` is `expect`, `poll`, `toBe`. */
function calleeOf(node: Node): string[] {
  if (node.type === 'CallExpression') return calleeOf(node.callee as Node);
  if (node.type === 'MemberExpression') return [...calleeOf(node.object as Node), nameOf(node.property)];
  return [nameOf(node)];
}

function nameOf(node: unknown): string {
  return isNode(node) && typeof node.name === 'string' ? node.name : '';
}

/** `page.getByText('a').click()`, not `click()`. */
function isAction(called: readonly string[]): boolean {
  return called.length > 1 && ACTIONS.has(called.at(-1) ?? '');
}

function isAssertion(node: Node): boolean {
  if (node.type !== 'ExpressionStatement') return false;
  const called = calleeOf(node.expression as Node);
  return called[0] === 'expect' && !RETRIES.has(called.slice(0, 2).join('.'));
}
