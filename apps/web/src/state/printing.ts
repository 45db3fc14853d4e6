/** The document that is being printed. */
import { create } from 'zustand';

export interface PrintedDocument {
  readonly projectId: string;
  /** Folder of the document, for its images: a mount path. */
  readonly folder: string;
  /** Of the file that a browser or the desktop app suggests. */
  readonly title: string;
  readonly text: string;
}

export const usePrinting = create<{ readonly printed: PrintedDocument | undefined }>(() => ({
  printed: undefined,
}));

/** Prints a Markdown document, also as a PDF: in a browser with its dialog, in the desktop app as a file. */
export function printDocument(printed: PrintedDocument): void {
  usePrinting.setState({ printed });
}
