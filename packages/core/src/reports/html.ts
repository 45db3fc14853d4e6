/**
 * A run as a self-contained HTML page: no script, no external resources, light and dark, printable. The template escapes every
 * value, so that no text can become markup. Pure.
 */
import { escapeText } from '../documents/escape-text.ts';
import { markdownToHtml } from '../documents/to-html.ts';
import type { AskedQuestion, Entry } from './entries.ts';
import type { Chapter, Report } from './report.ts';
import { EXPORT_STYLE } from './style.ts';
import type { Summary } from './summary.ts';
import type { Fact } from './text.ts';
import type { Words } from './words.ts';

export function toHtml(story: Report): string {
  const {
    title,
    summary,
    facts,
    nodes,
    chapters,
    files,
    yourFiles,
    variables,
    evidence,
    integrity,
    result,
    words,
  } = story;
  const { t } = words;
  const page = html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<h1>${title}</h1>
<p class="outcome ${summary.outcome}"><b>${t(`outcome.${summary.outcome}`)}</b> ${summary.sentence}</p>
<dl class="numbers">
${summary.numbers.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
</header>
${toResult(result, words)}${toSection(t('title.evidence'), toEvidence(evidence, words))}${toSection(t('title.decisions'), summary.decisions.map(toDecision), true)}${toSection(
  t('title.questions'),
  summary.questions.map((asked) => toAsked(asked, words)),
)}${toSection(
  t('title.yourFiles'),
  yourFiles.map((change) => toChange(change, html`<code>${change.path}</code>`)),
  true,
)}${toSection(t('title.results'), files.map(toFile), true)}<section class="appendix">
<h2>${t('title.appendix')}</h2>
<h3>${t('title.facts')}</h3>
${toTable(facts)}
<h3>${t('title.progress')}</h3>
<ol class="nodes">
${nodes.map((node) => toProgress(node, words))}</ol>
<h3>${t('title.variables')}</h3>
${variables.length > 0 ? toTable(variables) : html`<p>${t('none')}</p>`}
<div class="log">
<h3>${t('title.log')}</h3>
${chapters.map((chapter) => toChapter(chapter, words))}</div>
<p class="print-only">${t('printed')}</p>
</section>
</main>
<footer class="${integrity.isIntact ? 'intact' : 'broken'}">${integrity.sentence}</footer>
</body>
</html>
`;
  return page.html;
}

interface Html {
  readonly html: string;
}

/** Our own style sheet; it and the body of the result are the only texts that are inserted unescaped. */
const STYLE: Html = { html: EXPORT_STYLE };

/** A template for markup: values that were not created by `html` are escaped. */
function html(
  markup: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const texts = values.map((value) => {
    if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
    return 'html' in value ? value.html : value.map((part) => part.html).join('');
  });
  return { html: String.raw({ raw: markup }, ...texts) };
}

const NOTHING: Html = html``;

/** A section with nothing in it is left out. */
function toSection(title: string, parts: readonly Html[], isList = false): Html {
  if (parts.length === 0) return NOTHING;
  return html`<section>\n<h2>${title}</h2>\n${isList ? html`<ul>\n${parts}</ul>` : parts}\n</section>\n`;
}

/** The main result, as it is meant to be read. */
function toResult(result: Report['result'], { t }: Words): Html {
  if (!result) return NOTHING;
  // Escapes every text itself.
  const body: Html = { html: markdownToHtml(result.text, { images: result.images, headingShift: 2 }) };
  return html`<section>\n<h2>${t('title.result')}<code>${result.path}</code></h2>\n<div class="document">\n${body}</div>\n</section>\n`;
}

function toTable(facts: readonly Fact[]): Html {
  const rows = facts.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`);
  return html`<table>\n${rows}</table>`;
}

function toProgress({ id, title, type, status }: Report['nodes'][number], { t }: Words): Html {
  return html`<li class="${status}"><b>${title}</b> <code>${id}</code> <small>${t(`nodeType.${type}`)}, ${t(`node.${status}`)}</small></li>\n`;
}

function toFile({ path, href, change }: Report['files'][number]): Html {
  const name =
    href === undefined ? html`<code>${path}</code>` : html`<a href="${href}"><code>${path}</code></a>`;
  return change ? toChange(change, name) : html`<li>${name}</li>\n`;
}

type FileChange = Summary['changes'][number];

function toChange({ diffs, text, ...change }: FileChange, name: Html): Html {
  const shown = diffs.map((lines) => html`<pre class="diff">${lines.map(toDiffLine)}</pre>`);
  if (diffs.length === 0 && text !== '') shown.push(html`<pre>${text}</pre>`);
  return shown.length === 0
    ? html`<li>${name}</li>\n`
    : html`<li><details class="diffs"><summary>${name}${toCount(change)}</summary>${shown}</details></li>\n`;
}

/** Lines that were added and removed. */
function toCount({ added, removed }: Pick<FileChange, 'added' | 'removed'>): Html {
  const said = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])];
  return said.length === 0 ? NOTHING : html` <small>${said.join(' ')}</small>`;
}

function toDecision({ from, to, reason }: Report['summary']['decisions'][number]): Html {
  return html`<li><b>${from} → ${to}</b><br>${reason}</li>\n`;
}

function toEvidence(evidence: Report['evidence'], { t }: Words): readonly Html[] {
  if (!evidence) return [];
  const visits = evidence.visits.map(
    ({ title, nodeId, visit, outcome, lines, details }) =>
      html`<details class="change"><summary><b>${title}</b> <small>${visit > 1 ? `${t('visit', { number: visit })} · ` : ''}${outcome}</small></summary><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul><p class="details"><code>${nodeId}</code> · ${details.join(' · ')}</p></details>\n`,
  );
  const look = evidence.isProved ? 'completed' : 'open';
  return [html`<p class="outcome ${look}">${evidence.sentence}</p>\n`, ...visits];
}

function toAsked(question: AskedQuestion, words: Words): Html {
  return html`<div class="said asked">${toQuestion(question, words)}</div>\n`;
}

function toChapter({ title, nodeId, visit, entries }: Chapter, words: Words): Html {
  const id = nodeId === undefined ? NOTHING : html` <code>${nodeId}</code>`;
  const again = visit > 1 ? html` <small>${words.t('visit', { number: visit })}</small>` : NOTHING;
  return html`<article>\n<h4 class="chapter">${title}${id}${again}</h4>\n${entries.map((entry) => toDivision(entry, words))}</article>\n`;
}

function toDivision(entry: Entry, words: Words): Html {
  const { t } = words;
  const time = html`<time>${entry.time}</time>`;
  switch (entry.kind) {
    case 'said': {
      const thoughts =
        entry.thoughts === '' ? NOTHING : toDetails(t('thoughts'), html`<pre>${entry.thoughts}</pre>`);
      const who = entry.who === 'Person' ? 'person' : 'model';
      return html`<div class="said ${who}"><p>${time} <b>${t(`who.${entry.who}`)}</b></p>${thoughts}<pre>${entry.text}</pre></div>\n`;
    }
    case 'tool': {
      const line = html`${time} <code>${entry.name}</code> <code class="about">${entry.about}</code> <small>${entry.outcome}</small>`;
      const answer =
        entry.answer === '' ? NOTHING : html`<h4>${t('tool.answer')}</h4><pre>${entry.answer}</pre>`;
      return html`<details class="tool ${entry.isOk ? 'ok' : 'not-ok'}"><summary>${line}</summary><h4>${t('tool.arguments')}</h4><pre>${entry.arguments}</pre>${answer}</details>\n`;
    }
    case 'question':
      return html`<div class="said asked"><p>${time} <b>${t('question')}</b></p>${entry.questions.map((asked) => toQuestion(asked, words))}</div>\n`;
    case 'approval': {
      const note = entry.note === '' ? NOTHING : html`<p>${t('note', { note: entry.note })}</p>`;
      return html`<div class="said asked"><p>${time} <b>${t('approval')}</b> ${entry.sentence}</p>${note}<pre class="diff">${entry.preview.map(toDiffLine)}</pre></div>\n`;
    }
    case 'line':
      return html`<p class="line ${entry.tone}">${time} ${entry.text}</p>\n`;
  }
}

function toQuestion({ body, prompt, options, answer }: AskedQuestion, { t }: Words): Html {
  const choices = options.map((option) => html` <code>${option}</code>`);
  const given =
    answer === undefined
      ? html`<p>${t('noAnswer')}</p>`
      : html`<h4>${t('tool.answer')}</h4><pre>${answer}</pre>`;
  const above = body === '' ? NOTHING : html`<pre>${body}</pre>`;
  return html`${above}<pre class="prompt">${prompt}</pre>${options.length > 0 ? html`<p>${t('choices')}${choices}</p>` : NOTHING}${given}`;
}

function toDiffLine(line: string): Html {
  const mark = /^(?:\+\+\+|---|@@)/.test(line)
    ? 'hunk'
    : line.startsWith('+')
      ? 'added'
      : line.startsWith('-')
        ? 'removed'
        : '';
  return mark === '' ? html`${line}\n` : html`<span class="${mark}">${line}</span>\n`;
}

function toDetails(summary: string, content: Html): Html {
  return html`<details><summary>${summary}</summary>${content}</details>`;
}
