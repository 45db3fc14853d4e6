/** The editor's theme. It uses the page's CSS variables, so it follows light and dark mode. */
import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const FIELD = {
  border: '1px solid var(--line-strong)',
  borderRadius: '6px',
  backgroundColor: 'var(--surface)',
  backgroundImage: 'none',
  color: 'var(--ink)',
  font: 'inherit',
  height: '26px',
  padding: '0 8px',
};

const RING = { outline: '2px solid var(--accent-text)', outlineOffset: '1px' };

export const editorTheme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  // The cursor and the active line already show the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'inherit',
    lineHeight: 'inherit',
    scrollbarWidth: 'thin',
    overscrollBehavior: 'contain',
  },
  // Each character as it was typed: no two drawn as one.
  '.cm-content': {
    padding: '10px 0 40px',
    caretColor: 'var(--ink)',
    fontFeatureSettings: '"calt" 0, "liga" 0',
  },
  '.cm-line': { padding: '0 16px 0 6px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-faint)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': {
    minWidth: '36px',
    padding: '0 8px 0 4px',
    fontSize: '0.92em',
    fontVariantNumeric: 'tabular-nums',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--hover) 45%, transparent)',
  },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--ink)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '1.5px' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--pressed)', color: 'inherit' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)', color: 'inherit' },
  '.cm-selectionMatch': { backgroundColor: 'var(--pressed)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch.cm-searchMatch-selected': {
    backgroundColor: 'var(--accent-soft)',
    outline: '2px solid var(--accent-text)',
  },
  '.cm-specialChar': {
    color: 'var(--bad)',
    backgroundColor: 'var(--bad-soft)',
    borderRadius: '3px',
    padding: '0 2px',
  },
  '.cm-panels': { backgroundColor: 'var(--canvas)', color: 'var(--ink)', fontFamily: 'var(--font-sans)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search, .cm-panel.cm-dialog': { padding: '6px 40px 6px 12px' },
  '.cm-panel.cm-search > *, .cm-panel.cm-dialog > *': { margin: '2px 6px 2px 0', verticalAlign: 'middle' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '4px',
    fontSize: 'inherit',
    color: 'var(--ink-soft)',
  },
  '.cm-panel.cm-search input[type=checkbox]': { margin: '0', accentColor: 'var(--accent)' },
  '.cm-panel .cm-textfield': { ...FIELD, width: '220px', minWidth: '0' },
  '.cm-panel .cm-button': { ...FIELD, fontWeight: '500', cursor: 'pointer' },
  '.cm-panel .cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-panel .cm-button:active': { backgroundImage: 'none' },
  '.cm-panel :focus-visible': RING,
  '.cm-panel.cm-search [name=close], .cm-panel.cm-dialog .cm-dialog-close': {
    position: 'absolute',
    top: '9px',
    right: '10px',
    width: '24px',
    height: '24px',
    borderRadius: '6px',
    fontSize: '17px',
    lineHeight: '20px',
    color: 'var(--ink-soft)',
    cursor: 'pointer',
  },
  '.cm-tooltip': {
    border: '0',
    borderRadius: '6px',
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow-raised)',
    fontFamily: 'var(--font-sans)',
    maxWidth: 'min(30rem, 80vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    maxHeight: '14em',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { color: 'var(--ink-soft)', fontStyle: 'normal' },
  '.cm-diagnostic': { padding: '5px 10px', borderLeftWidth: '3px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--accent-text)' },
});

export const highlightStyle = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600', color: 'var(--ink)' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent-text)' },
  { tag: tags.monospace, color: 'var(--ink-soft)' },
  { tag: [tags.processingInstruction, tags.meta, tags.contentSeparator], color: 'var(--ink-faint)' },
  { tag: tags.quote, color: 'var(--ink-soft)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent-text)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--warn)' },
  { tag: [tags.keyword, tags.tagName, tags.typeName, tags.labelName], color: 'var(--accent-text)' },
  { tag: tags.comment, color: 'var(--ink-faint)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--ink-faint)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);
