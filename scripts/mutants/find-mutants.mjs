/**
 * Finds the mutants of a TypeScript source: small semantic changes that some test should detect. Writes one instrumented copy
 * with the original and all mutants; a switch selects the active one at run time.
 */
import ts from 'typescript';

/** @typedef {{ id: number, file: string, line: number, code: string, original: string, mutant: string }} Mutant */

const { SyntaxKind } = ts;

/**
 * @param {string} file path of the source below the repository
 * @param {string} text the source
 * @param {number} firstId id of the first mutant
 * @param {string} switchModule what the instrumented source imports
 * @returns {{ mutants: Mutant[], instrumented: string }}
 */
export function findMutants(file, text, firstId, switchModule) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const mutants = [];
  const changes = new Map();
  const raw = (node) => text.slice(node.getStart(source), node.end);

  const add = (node, mutant, how = 'expression') => {
    const original = raw(node);
    if (mutant === original) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    const id = firstId + mutants.length;
    mutants.push({
      id,
      file,
      line: line + 1,
      code: text.split('\n')[line].trim(),
      original: oneLine(original),
      mutant: oneLine(mutant) || '(removed)',
    });
    const known = changes.get(node) ?? [];
    changes.set(node, [...known, { id, mutant, how }]);
  };

  const visit = (node) => {
    if (isTypeOnly(node)) return;
    mutate(node, raw, add);
    ts.forEachChild(node, visit);
  };
  visit(source);

  const print = (node) => {
    let inner = '';
    let position = node.getStart(source);
    ts.forEachChild(node, (child) => {
      const start = child.getStart(source);
      if (start < position) return;
      inner += text.slice(position, start) + print(child);
      position = child.end;
    });
    inner += text.slice(position, node.end);
    const own = changes.get(node);
    if (!own) return inner;
    if (own[0].how === 'statement') return `{if(!__mutant(${own[0].id})){${inner}}}`;
    if (own[0].how === 'body') return `{if(__mutant(${own[0].id}))return;${inner.slice(1)}`;
    const choices = own.map(({ id, mutant }) => `__mutant(${id})?(${mutant}):`).join('');
    return `(${choices}${inner})`;
  };
  const instrumented = `import { isActive as __mutant } from ${JSON.stringify(switchModule)};\n${text.slice(0, source.getStart(source))}${print(source)}`;
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

const OPERATORS = new Map([
  [SyntaxKind.EqualsEqualsEqualsToken, ['!==']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['===']],
  [SyntaxKind.LessThanToken, ['<=', '>=']],
  [SyntaxKind.LessThanEqualsToken, ['<', '>']],
  [SyntaxKind.GreaterThanToken, ['>=', '<=']],
  [SyntaxKind.GreaterThanEqualsToken, ['>', '<']],
  [SyntaxKind.PlusToken, ['-']],
  [SyntaxKind.MinusToken, ['+']],
  [SyntaxKind.AsteriskToken, ['/']],
  [SyntaxKind.SlashToken, ['*']],
  [SyntaxKind.PercentToken, ['*']],
  [SyntaxKind.AmpersandToken, ['|']],
  [SyntaxKind.BarToken, ['&']],
  [SyntaxKind.GreaterThanGreaterThanGreaterThanToken, ['<<']],
  [SyntaxKind.PlusEqualsToken, ['-=']],
  [SyntaxKind.MinusEqualsToken, ['+=']],
]);

/** Method → replacement in a mutant; undefined: the call is omitted. */
const METHODS = new Map([
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['findLast', 'find'],
  ['indexOf', 'lastIndexOf'],
  ['lastIndexOf', 'indexOf'],
  ['toLowerCase', undefined],
  ['toUpperCase', undefined],
  ['normalize', undefined],
  ['trim', undefined],
  ['filter', undefined],
  ['slice', undefined],
  ['sort', undefined],
  ['reverse', undefined],
]);

/** Sentences for people are not mutated. */
const isProse = (text) => /\s/.test(text);

function mutate(node, raw, add) {
  if (ts.isBinaryExpression(node)) mutateBinary(node, raw, add);
  else if (ts.isPrefixUnaryExpression(node)) {
    if (node.operator === SyntaxKind.ExclamationToken) add(node, raw(node.operand));
    if (node.operator === SyntaxKind.MinusToken) add(node, raw(node.operand));
  } else if (ts.isPostfixUnaryExpression(node)) {
    add(node, raw(node.operand) + (node.operator === SyntaxKind.PlusPlusToken ? '--' : '++'));
  } else if (node.kind === SyntaxKind.TrueKeyword) add(node, 'false');
  else if (node.kind === SyntaxKind.FalseKeyword) add(node, 'true');
  else if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    if (isValue(node) && !isProse(node.text)) add(node, node.text === '' ? "'mutant'" : "''");
  } else if (ts.isTemplateExpression(node)) {
    const fixed = [node.head.text, ...node.templateSpans.map((span) => span.literal.text)];
    if (!fixed.some(isProse)) add(node, '``');
  } else if (node.kind === SyntaxKind.RegularExpressionLiteral) {
    for (const mutant of regexMutants(raw(node))) add(node, mutant);
  } else if (ts.isArrayLiteralExpression(node)) {
    if (node.elements.length > 0 && !isAssigned(node)) add(node, '[]');
  } else if (ts.isObjectLiteralExpression(node)) {
    if (node.properties.length > 0 && !isAssigned(node)) add(node, '{}');
  } else if (ts.isCallExpression(node)) mutateCall(node, raw, add);
  else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
    if (!isBoolean(node.body)) add(node.body, 'undefined');
    mutateCondition(node.body, add);
  } else if (ts.isReturnStatement(node)) mutateCondition(node.expression, add);
  else if (ts.isVariableDeclaration(node)) mutateCondition(node.initializer, add);
  else if (ts.isExpressionStatement(node)) add(node, '', 'statement');
  else if (ts.isThrowStatement(node)) {
    if (!isOnlyThingOf(node)) add(node, '', 'statement');
  }
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition;
    add(condition, 'true');
    add(condition, 'false');
  }
  if (ts.isWhileStatement(node)) add(node.expression, 'false');
  if (ts.isForStatement(node) && node.condition) add(node.condition, 'false');
  if (ts.isFunctionLike(node) && node.body && ts.isBlock(node.body) && node.body.statements.length > 1)
    add(node.body, '{}', 'body');
  mutateOptional(node, raw, add);
}

function mutateBinary(node, raw, add) {
  const { left, right, operatorToken } = node;
  const kind = operatorToken.kind;
  const combined = (operator) => `${raw(left)} ${operator} ${raw(right)}`;
  if (kind === SyntaxKind.AmpersandAmpersandToken || kind === SyntaxKind.BarBarToken) {
    add(node, raw(left));
    add(node, raw(right));
    const other = kind === SyntaxKind.BarBarToken ? '&&' : '||';
    add(node, `(${raw(left)}) ${other} (${raw(right)})`);
  } else if (kind === SyntaxKind.QuestionQuestionToken) {
    add(node, raw(left));
    add(node, raw(right));
  } else for (const operator of OPERATORS.get(kind) ?? []) add(node, combined(operator));
}

function mutateCall(node, raw, add) {
  const { expression } = node;
  if (isInsideChain(node) || !ts.isPropertyAccessExpression(expression)) return;
  const method = expression.name.text;
  if (!METHODS.has(method)) return;
  const other = METHODS.get(method);
  const subject = raw(expression.expression);
  const rest = raw(node).slice(raw(expression).length);
  add(node, other ? `${subject}${expression.questionDotToken ? '?.' : '.'}${other}${rest}` : subject);
}

/** A boolean that is returned or assigned, rather than used in a condition. */
function mutateCondition(node, add) {
  if (!node || !isBoolean(node)) return;
  add(node, 'true');
  add(node, 'false');
}

function isBoolean(node) {
  if (ts.isParenthesizedExpression(node)) return isBoolean(node.expression);
  if (ts.isPrefixUnaryExpression(node)) return node.operator === SyntaxKind.ExclamationToken;
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  if (kind === SyntaxKind.AmpersandAmpersandToken || kind === SyntaxKind.BarBarToken)
    return isBoolean(node.left) && isBoolean(node.right);
  return (
    (kind >= SyntaxKind.LessThanToken && kind <= SyntaxKind.ExclamationEqualsEqualsToken) ||
    kind === SyntaxKind.EqualsEqualsEqualsToken ||
    kind === SyntaxKind.ExclamationEqualsEqualsToken
  );
}

/** `a?.b` → `a.b`, at the outermost part of the chain. */
function mutateOptional(node, raw, add) {
  if (!ts.isOptionalChain(node) || isInsideChain(node)) return;
  const start = node.getStart();
  for (let part = node; ts.isOptionalChain(part); part = part.expression) {
    if (!part.questionDotToken) continue;
    const at = part.questionDotToken.getStart() - start;
    const whole = raw(node);
    const dot = ts.isPropertyAccessExpression(part) ? '.' : '';
    add(node, whole.slice(0, at) + dot + whole.slice(at + 2));
  }
}

function isInsideChain(node) {
  return ts.isOptionalChain(node.parent) && node.parent.expression === node;
}

/** A string that is a value, not a name in the syntax tree. */
function isValue(node) {
  const { parent } = node;
  return !(
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isCallExpression(parent) && parent.expression.kind === SyntaxKind.ImportKeyword) ||
    ts.isTaggedTemplateExpression(parent)
  );
}

/** `[a, b] = …` is not a value. */
function isAssigned(node) {
  return (
    ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    node.parent.operatorToken.kind === SyntaxKind.EqualsToken
  );
}

/** `if (x) throw …`: equivalent to mutants of the condition. */
function isOnlyThingOf(node) {
  const holder =
    ts.isBlock(node.parent) && node.parent.statements.length === 1 ? node.parent.parent : node.parent;
  return ts.isIfStatement(holder) || ts.isFunctionLike(holder);
}

/** Anchors, quantifiers, classes, alternatives and flags, one changed at a time. */
function regexMutants(literal) {
  const end = literal.lastIndexOf('/');
  const pattern = literal.slice(1, end);
  const flags = literal.slice(end + 1);
  const found = [];
  const without = (from, to, instead = '') =>
    found.push([pattern.slice(0, from) + instead + pattern.slice(to), flags]);
  let isClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') {
      const next = pattern[at + 1];
      if (!isClass && /[dwsDWSbB]/.test(next)) {
        const swapped = next === next.toLowerCase() ? next.toUpperCase() : next.toLowerCase();
        without(at, at + 2, `\\${swapped}`);
      }
      at++;
    } else if (isClass) isClass = char !== ']';
    else if (char === '[') {
      isClass = true;
      if (pattern[at + 1] === '^') without(at + 1, at + 2);
      else without(at + 1, at + 1, '^');
    } else if (char === '^' || char === '$') without(at, at + 1);
    else if (/[+*?]/.test(char) && pattern[at - 1] !== '(') without(at, at + 1);
    else if (char === '{') without(at, pattern.indexOf('}', at) + 1);
    else if (char === '|') {
      without(alternativeStart(pattern, at), at + 1);
    }
  }
  for (const flag of flags) if (flag !== 'g') found.push([pattern, flags.replace(flag, '')]);
  return [
    ...new Set(found.filter(([body, flag]) => isRegex(body, flag)).map(([body, flag]) => `/${body}/${flag}`)),
  ];
}

function alternativeStart(pattern, bar) {
  let depth = 0;
  for (let at = bar - 1; at >= 0; at--) {
    if (pattern[at - 1] === '\\') continue;
    if (pattern[at] === ')') depth++;
    if (pattern[at] === '(' && depth-- === 0) return pattern.startsWith('(?:', at) ? at + 3 : at + 1;
    if (pattern[at] === '|' && depth === 0) return at + 1;
  }
  return 0;
}

function isRegex(body, flags) {
  try {
    return body !== '' && new RegExp(body, flags) !== undefined;
  } catch {
    return false;
  }
}
