/**
 * The page that is shown where no web UI was built: the server is running, and how to use it.
 */
const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>CrewAgent</title>
    <link rel="stylesheet" href="/page.css">
  </head>
  <body>
    <main>
      <h1>CrewAgent is running</h1>
      <p>This build has no pages of its own. The command line and scripts can use the server at this address.</p>
      <p>The API is under <code>/api/v1</code> and needs the token that was printed when the server started.</p>
    </main>
  </body>
</html>
`;

const STYLE = `:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 40rem; margin: 15vh auto; padding: 0 1.5rem; }
code { font-family: ui-monospace, monospace; }
`;

export const BUILT_IN_PAGES: Readonly<Record<string, string>> = {
  '/index.html': INDEX,
  '/page.css': STYLE,
};
