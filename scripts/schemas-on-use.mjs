/**
 * For rolldown: schemas, and the classes of zod that they are made of, are created when they are first used. A command loads the
 * schemas of all documents that it could meet and uses a few; creating all of them was a third of the time of a short command.
 *
 * `transform` wraps the initial value of such a constant, `renderChunk` makes a function of the constant:
 *
 *     const runSchema = z.object({ id: idSchema });
 *     const runSchema = DEFER(() => z.object({ id: idSchema }));
 *     var runSchema$value; function runSchema() { return runSchema$value ??= z.object({ id: idSchema() }); }
 */
import { parseAst } from 'rolldown/parseAst';

/** An unknown global, so that the bundler leaves its calls as they are. */
const DEFER = '__DEFER_SCHEMA__';

export const schemasOnUse = {
  name: 'schemas-on-use',
  transform: {
    filter: {
      id: [/\.ts$/, /node_modules[\\/]zod[\\/]v4[\\/](?:core|mini)[\\/]\w+\.js$/],
      code: /\bz\.|Schema\b|@__PURE__/,
    },
    handler: (code, id) => deferConstants(code, id.endsWith('.ts')),
  },
  renderChunk: (code) => (code.includes(DEFER) ? toFunctions(code) : null),
};

function deferConstants(code, isOurs) {
  const edits = [];
  for (const statement of parseAst(code, { lang: isOurs ? 'ts' : 'js' }).body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    for (const { id, init } of declaration.declarations) {
      if (id.type !== 'Identifier' || !/^(?:Call|Object|Array)Expression$/.test(init?.type)) continue;
      if (!(isOurs ? createsSchemas(init) : PURE.test(code.slice(0, init.start)))) continue;
      edits.push([init.start, init.start, `/* @__PURE__ */ ${DEFER}(() => (`], [init.end, init.end, '))']);
    }
  }
  return edits.length > 0 ? { code: withEdits(code, edits), map: null } : null;
}

/** Ends the text before a call that has no effects. */
const PURE = /@__PURE__\s*\*\/\s*$/;

/** Whether evaluating it calls zod or reads another schema; a function in it is not evaluated. */
function createsSchemas(node) {
  if (node.type === 'Identifier') return node.name === 'z' || node.name.endsWith('Schema');
  if (/Function/.test(node.type)) return false;
  let found = false;
  forEachChild(node, (child) => {
    found ||= createsSchemas(child);
  });
  return found;
}

function toFunctions(code) {
  const program = parseAst(code);
  const declared = countDeclarations(program);
  const edits = [];
  const replaceAround = (outer, inner, before, after) =>
    edits.push([outer.start, inner.start, before], [inner.end, outer.end, after]);
  const deferred = new Map();
  for (const statement of program.body) {
    const [{ id, init } = {}, other] = statement.declarations ?? [];
    // The uses of a name that something else has as well cannot be told apart.
    if (init?.callee?.name !== DEFER || other || declared.get(id.name) > 1) continue;
    const { name } = id;
    deferred.set(name, init);
    const before = `var ${name}$value; function ${name}() { return ${name}$value ??= `;
    replaceAround(statement, init.arguments[0].body, before, '; }');
  }
  const functions = new Set(deferred.values());
  visit(program, (node, parent, key) => {
    if (node.type === 'Identifier' && deferred.has(node.name)) edits.push(...toUses(node, parent, key));
    // The bundler moved the value to its only use.
    else if (node.type === 'CallExpression' && node.callee.name === DEFER && !functions.has(node))
      replaceAround(node, node.arguments[0].body, '(', ')');
  });
  return withEdits(code, edits);
}

/** How often each name is declared in any scope, or at least mentioned in a pattern that declares others. */
function countDeclarations(program) {
  const counts = new Map();
  const add = ({ type, name }) => type === 'Identifier' && counts.set(name, (counts.get(name) ?? 0) + 1);
  visit(program, ({ id, params, param }) => {
    for (const pattern of [id, param, ...(params ?? [])]) if (pattern?.type) visit(pattern, add);
  });
  return counts;
}

/** A use of a name as a call. */
function toUses({ name, start, end }, parent, key) {
  if (parent.type === 'VariableDeclarator' && key === 'id') return [];
  if (parent.type === 'MemberExpression' && key === 'property' && !parent.computed) return [];
  // The key and the value of a shorthand property are at the same place.
  if (parent.shorthand) return key === 'value' ? [[start, end, `${name}: ${name}()`]] : [];
  if (key === 'key' && !parent.computed) return [];
  return [[start, end, parent.type === 'NewExpression' && key === 'callee' ? `(${name}())` : `${name}()`]];
}

function visit(node, use, parent = null, key = '') {
  use(node, parent, key);
  forEachChild(node, (child, name) => visit(child, use, node, name));
}

function forEachChild(node, use) {
  for (const key in node) {
    const value = node[key];
    if (Array.isArray(value)) for (const child of value) child?.type && use(child, key);
    else if (value?.type) use(value, key);
  }
}

function withEdits(code, edits) {
  let [result, at] = ['', 0];
  for (const [start, end, text] of edits.sort(([one], [other]) => one - other)) {
    result += code.slice(at, start) + text;
    at = end;
  }
  return result + code.slice(at);
}
