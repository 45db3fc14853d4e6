/**
 * Extracts rules from docs/spec, and citations of rules from test files. Pure. It relies on the formatter (a block closes at the
 * indentation it opened at) instead of a parser, because the check runs before every commit.
 */

const STRING = String.raw`'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\`(?:\\.|[^\`\\])*\``;
const BLOCK = /^([ \t]*)(it|test|describe)\b((?:\.\w+)*)[<(]/gm;
const DIRECT_TITLE = new RegExp(String.raw`^[\s\w.]*\(\s*(${STRING})`);
/** After `it.each(…)`, `it.skipIf(…)` and the like the title is the first argument of a second call. */
const CALLED_TITLE = new RegExp(String.raw`\)(?:\.concurrent)?\(\s*(${STRING})`);
const CITED = /^(?:\[(?:[A-Z]\d+|\$\{rule\})\] ?)+/;

/** Every rule of a spec file: a line that starts with its id in bold. */
export function parseRules(markdown) {
  const lines = markdown.matchAll(/^(?:[-*] )?\*\*([A-Z]\d+)\*\* *(.*)/gm);
  return Array.from(lines, ([, id, text]) => ({ id, text }));
}

/**
 * Every citation in a test file: a title that starts with `[B7]` cites B7, and each other id in brackets after it.
 * `context` is the titles of the `describe` blocks around the test, `cases` the source of its `it.each` table. A title
 * that begins with `[${rule}]` is one citation for each table row of the file that begins with an id; there `cases`
 * is the row.
 */
export function parseCitations(source) {
  const blocks = [...source.matchAll(BLOCK)];
  const citations = [];
  let open = [];
  for (const [position, { 0: head, 1: indent, 2: kind, index }] of blocks.entries()) {
    const block = source.slice(index, blocks[position + 1]?.index);
    const found = DIRECT_TITLE.exec(block) ?? CALLED_TITLE.exec(block);
    if (!found) continue;
    const title = found[1].slice(1, -1).replace(/\\(.)/g, '$1');
    open = open.filter((outer) => outer.indent < indent.length);
    if (kind === 'describe') open.push({ indent: indent.length, title });
    if (kind === 'describe' || !CITED.test(title)) continue;
    const context = open.map((outer) => outer.title);
    const cite = (id, cases, start) => {
      const line = source.slice(0, start).split('\n').length;
      citations.push({ id, title: title.replace(CITED, ''), context, cases, line });
    };
    const table = head.includes('.each') ? tableOf(source, block.slice(0, found.index)) : '';
    const start = index + found.index + found[0].lastIndexOf(found[1]);
    for (const [, id] of title.matchAll(/\[([A-Z]\d+)\]/g)) cite(id, table, start);
    if (!/^\[\$\{rule\}\]/.test(title)) continue;
    for (const row of source.matchAll(/\[\s*'([A-Z]\d+)',/g)) {
      cite(row[1], blockAt(source, row.index), row.index);
    }
  }
  return citations;
}

/** Wraps text between words at 120 columns, including the indentation of all lines but the first. */
export function wrap(text, indent) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line !== '' && indent + line.length + 1 + word.length > 120) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/** The table of `it.each(…)`: inline, or the array it names. */
function tableOf(source, head) {
  const table = head.slice(head.indexOf('(') + 1);
  const name = /^\w+$/.exec(table.trim())?.[0];
  const declared = name ? source.search(new RegExp(String.raw`^[ \t]*const ${name}\b`, 'm')) : -1;
  return declared < 0 ? table.replace(/\s+/g, ' ').trim() : blockAt(source, declared);
}

/** The source from the line of `start` to its closing line, joined to one line. */
function blockAt(source, start) {
  const rest = source.slice(source.lastIndexOf('\n', start) + 1);
  const [, indent, opened] = /^([ \t]*).*?([[({])?(?:\n|$)/.exec(rest);
  const end = opened ? rest.search(new RegExp(String.raw`\n${indent}[\])}]`)) : 0;
  const block = rest.slice(0, rest.indexOf('\n', end + 1));
  return block.replace(/\s+/g, ' ').trim();
}
