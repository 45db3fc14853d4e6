/**
 * The style sheet of an exported page.
 */
export const EXPORT_STYLE = `
:root {
  color-scheme: light dark;
  --text: #1f2328; --soft: #59636e; --page: #fff; --panel: #f6f8fa; --edge: #d1d9e0;
  --accent: #0969da; --good: #1a7f37; --bad: #cf222e; --care: #9a6700;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --soft: #9198a1; --page: #0d1117; --panel: #151b23; --edge: #3d444d;
    --accent: #4493f8; --good: #3fb950; --bad: #f85149; --care: #d29922;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main, footer { max-width: 52rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--edge); }
h3 { font-size: 1.05rem; margin: 2rem 0 0.75rem; overflow-wrap: anywhere; }
h4 { font-size: 0.8rem; margin: 0.75rem 0 0.25rem; color: var(--soft); }
h4.chapter { font-size: 1rem; color: inherit; margin: 1.75rem 0 0.5rem; overflow-wrap: anywhere; }
.outcome { margin: 0 0 1rem; padding: 0.75rem 1rem; background: var(--panel); border-left: 4px solid var(--care); border-radius: 6px; font-size: 1.05rem; }
.outcome.completed { border-color: var(--good); }
.outcome.failed { border-color: var(--bad); }
.numbers { display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; margin: 0; }
.numbers dt { color: var(--soft); font-size: 0.85rem; }
.numbers dd { margin: 0; font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.document { padding: 0.25rem 1.25rem; border: 1px solid var(--edge); border-radius: 6px; overflow-wrap: anywhere; }
.document h3 { font-size: 1.3rem; } .document h4, .document h5, .document h6 { font-size: 1.05rem; color: inherit; margin: 1.25rem 0 0.5rem; }
.document.whole { border: 0; padding: 0; } .document.whole h1 { font-size: 1.8rem; } .document.whole h2 { margin-top: 2rem; }
.document img { max-width: 100%; height: auto; }
.document pre { padding: 0.5rem 0.75rem; background: var(--panel); border-radius: 4px; }
.document blockquote { margin: 0.75rem 0; padding-left: 1rem; border-left: 3px solid var(--edge); color: var(--soft); }
table.data { margin: 0.75rem 0; }
table.data th, table.data td { padding: 0.3rem 0.6rem; border: 1px solid var(--edge); white-space: normal; width: auto; color: inherit; }
table.data th { background: var(--panel); }
.print-only { display: none; }
.appendix { margin-top: 4rem; font-size: 0.92rem; }
.change { margin: 0.4rem 0; } .change .details { margin: 0 0 0.75rem; color: var(--soft); font-size: 0.8rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--edge); }
th { width: 9rem; font-weight: 600; color: var(--soft); }
td { overflow-wrap: anywhere; white-space: pre-wrap; }
code, pre { font-family: ui-monospace, SFMono-Regular, Consolas, monospace; font-size: 0.85em; }
pre { margin: 0.25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; }
small, time { color: var(--soft); font-size: 0.85em; }
time { font-variant-numeric: tabular-nums; }
a { color: var(--accent); }
ul, ol { padding-left: 1.5rem; } li:has(> details) { margin-left: -1rem; list-style: none; }
.nodes .done small { color: var(--good); }
.nodes .current small { color: var(--accent); }
.said { margin: 0.75rem 0; padding: 0.6rem 0.9rem; background: var(--panel); border-left: 3px solid var(--edge); border-radius: 4px; }
.said p { margin: 0 0 0.25rem; }
.said > pre { font: inherit; }
.said > pre.prompt { font-weight: 600; margin-top: 0.75rem; }
.said.person { border-color: var(--accent); }
.said.asked { border-color: var(--care); }
details.tool { margin: 0.35rem 0; padding-left: 0.9rem; border-left: 3px solid var(--good); }
details.tool.not-ok { border-color: var(--bad); }
details pre { padding: 0.5rem 0.75rem; background: var(--panel); border: 1px solid var(--edge); border-radius: 4px; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.line { margin: 0.35rem 0; padding-left: 0.9rem; border-left: 3px solid var(--edge); overflow-wrap: anywhere; }
.line.warning { border-color: var(--care); }
.line.error { border-color: var(--bad); }
pre.diff { font: 0.85em/1.5 ui-monospace, SFMono-Regular, Consolas, monospace; }
.added { color: var(--good); } .removed { color: var(--bad); } .hunk { color: var(--soft); }
footer { border-top: 1px solid var(--edge); color: var(--soft); font-size: 0.9rem; }
footer.broken { color: var(--bad); font-weight: 600; }
@media print {
  @page { margin: 18mm 16mm; }
  .log, .diffs pre, .change .details { display: none; } summary { list-style: none; } .print-only { display: block; color: var(--soft); }
  .document { border: 0; padding: 0; }
  .document pre, .document img, table.data tr { break-inside: avoid-page; }
  body { font-size: 11pt; background: #fff; color: #000; }
  main, footer { max-width: none; padding: 0; }
  .said, .line, tr { break-inside: avoid-page; }
  h2, h3 { break-after: avoid-page; }
  details::details-content { content-visibility: visible; height: auto; }
}
`;
