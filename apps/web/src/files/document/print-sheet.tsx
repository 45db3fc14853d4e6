/**
 * A document on paper: rendered beside the page, printed when its diagrams, formulas and images are there, then removed. Loaded
 * lazily, with its style.
 */
import { useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { FileLinks } from '../../api/file-links.tsx';
import { findBridge } from '../../state/desktop-bridge.ts';
import { type PrintedDocument, usePrinting } from '../../state/printing.ts';
import { PaperContext } from '../../ui/markdown/diagram/use-drawing-colors.ts';
import { Markdown, withoutFrontmatter } from '../../ui/markdown/markdown.tsx';
import './print-sheet.css';

export default function PrintSheet({ printed }: { readonly printed: PrintedDocument }) {
  const sheet = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isOver = false;
    void untilDrawn(
      () => sheet.current,
      () => isOver,
    ).then(() => (isOver ? undefined : print(printed.title)));
    return () => {
      isOver = true;
    };
  }, [printed]);
  return createPortal(
    <PaperContext value={true}>
      <div ref={sheet} data-theme="light" aria-hidden="true" inert className="print-sheet">
        <FileLinks projectId={printed.projectId} folder={printed.folder}>
          <Markdown text={withoutFrontmatter(printed.text)} />
        </FileLinks>
      </div>
    </PaperContext>,
    document.body,
  );
}

/** What is not there by then is printed without. */
const MAX_MS = 20_000;
/** A text that was just rendered may still ask for a library. */
const QUIET_CHECKS = 3;
const CHECK_MS = 100;

async function untilDrawn(sheet: () => HTMLElement | null, isOver: () => boolean): Promise<void> {
  let quiet = 0;
  for (let waited = 0; quiet < QUIET_CHECKS && waited < MAX_MS && !isOver(); waited += CHECK_MS) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    const element = sheet();
    const isLoading = !element || element.querySelector('.invisible, .breathing') !== null;
    const hasImages = [...(element?.querySelectorAll('img') ?? [])].every(({ complete }) => complete);
    quiet = isLoading || !hasImages ? 0 : quiet + 1;
  }
  await document.fonts.ready;
}

async function print(title: string): Promise<void> {
  const before = document.title;
  document.title = title;
  document.documentElement.classList.add('is-printing');
  try {
    const bridge = findBridge();
    if (bridge) await bridge.savePdf(title);
    else globalThis.print();
  } finally {
    document.title = before;
    document.documentElement.classList.remove('is-printing');
    usePrinting.setState({ printed: undefined });
  }
}
