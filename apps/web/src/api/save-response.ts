/** Saves a response body as a browser download. */

/** Uses the file name sent by the server, in any script, else `name`. */
export async function saveResponse(response: Response, name: string): Promise<void> {
  const sent = response.headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(sent)?.[1];
  const given = encoded === undefined ? /filename="([^"]+)"/.exec(sent)?.[1] : decodeURIComponent(encoded);
  saveBlob(await response.blob(), given ?? name);
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started to read the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
