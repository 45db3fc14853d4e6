/** A module with all it imports, bundled to the text of one script for a worker thread (`scripts/bundle.mjs`). */
declare module '*?thread' {
  const source: string;
  export default source;
}
