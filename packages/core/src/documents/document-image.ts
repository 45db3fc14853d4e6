/** An image of a document: its kind and size, read from its first bytes. Pure. */

export interface DocumentImage {
  readonly bytes: Uint8Array;
  readonly kind: 'png' | 'jpg' | 'gif' | 'bmp';
  readonly width: number;
  readonly height: number;
}

/** Undefined for other formats, and for images without a size. */
export function toDocumentImage(bytes: Uint8Array): DocumentImage | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = readPng(view) ?? readGif(view) ?? readBmp(view) ?? readJpeg(view);
  return found && found.width > 0 && found.height > 0 ? { bytes, ...found } : undefined;
}

type Size = Pick<DocumentImage, 'kind' | 'width' | 'height'>;

function readPng(view: DataView): Size | undefined {
  if (view.byteLength < 24 || view.getUint32(0) !== 0x89504e47) return undefined;
  return { kind: 'png', width: view.getUint32(16), height: view.getUint32(20) };
}

function readGif(view: DataView): Size | undefined {
  if (view.byteLength < 10 || view.getUint32(0) !== 0x47494638) return undefined;
  return { kind: 'gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function readBmp(view: DataView): Size | undefined {
  if (view.byteLength < 26 || view.getUint16(0) !== 0x424d) return undefined;
  return { kind: 'bmp', width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
}

/** The size is in the first frame header; segments before it are skipped by their length. */
function readJpeg(view: DataView): Size | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < view.byteLength) {
    const marker = view.getUint16(at);
    if (marker < 0xff00) return undefined;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { kind: 'jpg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
