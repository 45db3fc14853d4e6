/**
 * A run as a self-contained HTML page: no script, no external resources, light and dark, printable. The template escapes every
 * value, so that no text can become markup. Pure.
 */
import { escapeText } from '../documents/escape-text.ts';
import { markdownToHtml } from '../documents/to-html.ts';
import type { AskedQuestion, Entry } from './entries.ts';
import { OUTCOMES } from './hand-over.ts';
import type { Chapter, Report } from './report.ts';
import { EXPORT_STYLE } from './style.ts';
import type { Summary } from './summary.ts';
import type { Fact } from './text.ts';

export function toHtml(story: Report): string {
  const { title, summary, facts, nodes, chapters, files, variables, evidence, integrity, result } = story;
  const page = html`<!doctype html>
<html lang="en">
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
<p class="outcome ${summary.outcome}"><b>${OUTCOMES[summary.outcome]}</b> ${summary.sentence}</p>
<dl class="numbers">
${summary.numbers.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
</header>
${toResult(result)}${toSection('Evidence', toEvidence(evidence))}${toSection('Decisions', summary.decisions.map(toDecision), true)}${toSection('Questions and answers', summary.questions.map(toAsked))}${toSection('Results', files.map(toFile), true)}${toSection('Changes to files', summary.changes.map(toChange))}<section class="appendix">
<h2>Appendix</h2>
<h3>Facts</h3>
${toTable(facts)}
<h3>Progress</h3>
<ol class="nodes">
${nodes.map(toProgress)}</ol>
<h3>Variables</h3>
${variables.length > 0 ? toTable(variables) : NONE}
<div class="log">
<h3>What happened</h3>
${chapters.map(toChapter)}</div>
<p class="print-only">What happened step by step is in this page on screen, and in the exports as Markdown and JSON.</p>
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
const NONE: Html = html`<p>None.</p>`;

/** A section with nothing in it is left out. */
function toSection(title: string, parts: readonly Html[], isList = false): Html {
  if (parts.length === 0) return NOTHING;
  return html`<section>\n<h2>${title}</h2>\n${isList ? html`<ul>\n${parts}</ul>` : parts}\n</section>\n`;
}

/** The main result, as it is meant to be read. */
function toResult(result: Report['result']): Html {
  if (!result) return NOTHING;
  // Escapes every text itself.
  const body: Html = { html: markdownToHtml(result.text, { images: result.images, headingShift: 2 }) };
  return html`<section>\n<h2>Result: <code>${result.path}</code></h2>\n<div class="document">\n${body}</div>\n</section>\n`;
}

function toTable(facts: readonly Fact[]): Html {
  const rows = facts.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`);
  return html`<table>\n${rows}</table>`;
}

const STATUS = { done: 'done', current: 'current', open: 'not reached' } as const;

function toProgress({ id, title, type, status }: Report['nodes'][number]): Html {
  return html`<li class="${status}"><b>${title}</b> <code>${id}</code> <small>${type}, ${STATUS[status]}</small></li>\n`;
}

function toFile({ path, href }: Report['files'][number]): Html {
  const name = html`<code>${path}</code>`;
  return href === undefined ? html`<li>${name}</li>\n` : html`<li><a href="${href}">${name}</a></li>\n`;
}

type FileChange = Summary['changes'][number];

function toChange({ path, diffs, text, ...lines }: FileChange): Html {
  const shown = diffs.map((lines) => html`<pre class="diff">${lines.map(toDiffLine)}</pre>`);
  if (diffs.length === 0 && text !== '') shown.push(html`<pre>${text}</pre>`);
  return shown.length === 0
    ? html`<p><code>${path}</code></p>\n`
    : html`<details class="change"><summary><code>${path}</code>${toCount(lines)}</summary>${shown}</details>\n`;
}

/** Lines that were added and removed. */
function toCount({ added, removed }: Pick<FileChange, 'added' | 'removed'>): Html {
  const said = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])];
  return said.length === 0 ? NOTHING : html` <small>${said.join(' ')}</small>`;
}

function toDecision({ from, to, reason }: Report['summary']['decisions'][number]): Html {
  return html`<li><b>${from} → ${to}</b><br>${reason}</li>\n`;
}

function toEvidence(evidence: Report['evidence']): readonly Html[] {
  if (!evidence) return [];
  const visits = evidence.visits.map(
    ({ title, nodeId, visit, outcome, lines }) =>
      html`<details class="change"><summary>${title} <code>${nodeId}</code> <small>${visit > 1 ? `visit ${visit}, ` : ''}${outcome}</small></summary><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></details>\n`,
  );
  const look = evidence.isProved ? 'completed' : 'open';
  return [html`<p class="outcome ${look}">${evidence.sentence}</p>\n`, ...visits];
}

function toAsked(question: AskedQuestion): Html {
  return html`<div class="said asked">${toQuestion(question)}</div>\n`;
}

function toChapter({ title, nodeId, visit, entries }: Chapter): Html {
  const id = nodeId === undefined ? NOTHING : html` <code>${nodeId}</code>`;
  const again = visit > 1 ? html` <small>visit ${visit}</small>` : NOTHING;
  return html`<article>\n<h4 class="chapter">${title}${id}${again}</h4>\n${entries.map(toDivision)}</article>\n`;
}

function toDivision(entry: Entry): Html {
  const time = html`<time>${entry.time}</time>`;
  switch (entry.kind) {
    case 'said': {
      const thoughts =
        entry.thoughts === '' ? NOTHING : toDetails('Thoughts', html`<pre>${entry.thoughts}</pre>`);
      const who = entry.who === 'Person' ? 'person' : 'model';
      return html`<div class="said ${who}"><p>${time} <b>${entry.who}</b></p>${thoughts}<pre>${entry.text}</pre></div>\n`;
    }
    case 'tool': {
      const line = html`${time} <code>${entry.name}</code> <code class="about">${entry.about}</code> <small>${entry.outcome}</small>`;
      const answer = entry.answer === '' ? NOTHING : html`<h4>Answer</h4><pre>${entry.answer}</pre>`;
      return html`<details class="tool ${entry.isOk ? 'ok' : 'not-ok'}"><summary>${line}</summary><h4>Arguments</h4><pre>${entry.arguments}</pre>${answer}</details>\n`;
    }
    case 'question':
      return html`<div class="said asked"><p>${time} <b>Question</b></p>${entry.questions.map(toQuestion)}</div>\n`;
    case 'approval': {
      const note = entry.note === '' ? NOTHING : html`<p>Note: ${entry.note}</p>`;
      return html`<div class="said asked"><p>${time} <b>Approval</b> ${entry.sentence}</p>${note}<pre class="diff">${entry.preview.map(toDiffLine)}</pre></div>\n`;
    }
    case 'line':
      return html`<p class="line ${entry.tone}">${time} ${entry.text}</p>\n`;
  }
}

function toQuestion({ body, prompt, options, answer }: AskedQuestion): Html {
  const choices = options.map((option) => html` <code>${option}</code>`);
  const given =
    answer === undefined ? html`<p>No answer yet.</p>` : html`<h4>Answer</h4><pre>${answer}</pre>`;
  const above = body === '' ? NOTHING : html`<pre>${body}</pre>`;
  return html`${above}<pre class="prompt">${prompt}</pre>${options.length > 0 ? html`<p>Choices:${choices}</p>` : NOTHING}${given}`;
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
