/**
 * Finds the mutants of a TypeScript source: small changes of its decisions that some test should detect. Writes one instrumented
 * copy with the original and all mutants; `isActive` of `switchModule` selects the active one at run time.
 */
import ts from 'typescript';

const { SyntaxKind } = ts;

/** @returns {{ mutants: { id: number, line: number, code: string, original: string, mutant: string }[], instrumented: string }} */
export function findMutants(file, text, firstId, switchModule) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const raw = (node) => text.slice(node.getStart(source), node.end);
  const mutants = [];
  const isChosen = (mutant) => {
    mutants.push({ ...mutant, id: firstId + mutants.length });
    return `__isActive(${firstId + mutants.length - 1})`;
  };
  const describe = (node, mutant) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    return {
      line: line + 1,
      code: text.split('\n')[line].trim(),
      original: oneLine(raw(node)),
      mutant: oneLine(mutant) || '(removed)',
    };
  };
  /** The text of a node, with all mutants in it. */
  const print = (node) => {
    if (isTypeOnly(node)) return raw(node);
    const choices = expressionMutants(node, raw).map(
      (mutant) => `${isChosen(describe(node, mutant))}?(${mutant}):`,
    );
    const removed = isRemovable(node) ? isChosen(describe(node, '')) : undefined;
    let inner = '';
    let position = node.getStart(source);
    ts.forEachChild(node, (child) => {
      inner += text.slice(position, child.getStart(source)) + print(child);
      position = child.end;
    });
    inner += text.slice(position, node.end);
    if (removed) return `{if(!${removed}){${inner}}}`;
    return choices.length > 0 ? `(${choices.join('')}${inner})` : inner;
  };
  const instrumented = `import { isActive as __isActive } from ${JSON.stringify(switchModule)};\n${print(source)}`;
  return { mutants, instrumented };
}

function oneLine(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

function isTypeOnly(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node)
  );
}

/** A statement without which the rest still compiles: a call, an assignment, an error. */
function isRemovable(node) {
  return ts.isExpressionStatement(node) || ts.isThrowStatement(node);
}

const OPERATORS = new Map([
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
]);
const LOGICAL = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
]);
/** Method → replacement in a mutant. */
const METHODS = new Map([
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['some', 'every'],
  ['every', 'some'],
]);

/** Other values of an expression, as source. */
function expressionMutants(node, raw) {
  const { parent } = node;
  if (parent && (parent.expression === node ? ts.isIfStatement(parent) : parent.condition === node))
    return ['true', 'false'];
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [raw(node.left), raw(node.right)];
    if (LOGICAL.has(node.operatorToken.kind)) return [left, right];
    const operator = OPERATORS.get(node.operatorToken.kind);
    return operator ? [`${left} ${operator} ${right}`] : [];
  }
  if (ts.isPrefixUnaryExpression(node))
    return node.operator === SyntaxKind.ExclamationToken ? [raw(node.operand)] : [];
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name } = node.expression;
    const other = METHODS.get(name.text);
    const start = node.getStart();
    const whole = raw(node);
    return other ? [whole.slice(0, name.getStart() - start) + other + whole.slice(name.end - start)] : [];
  }
  if (node.kind === SyntaxKind.RegularExpressionLiteral)
    return [raw(node).replace(/^\/\^/, '/'), raw(node).replace(/(?<!\\)\$(?=\/\w*$)/, '')].filter(
      (mutant) => mutant !== raw(node) && !mutant.startsWith('//'),
    );
  if (node.kind === SyntaxKind.TrueKeyword) return ['false'];
  return node.kind === SyntaxKind.FalseKeyword ? ['true'] : [];
}
