/** A `fetch` for an upload that reports how much of it was sent, which only XMLHttpRequest does. */

/** `onProgress` gets the share, from 0 to 1. */
export function createUploadFetch(onProgress: (share: number) => void): typeof fetch {
  return (input, { method = 'POST', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, String(input));
      new Headers(headers).forEach((value, name) => {
        // The browser sets its own.
        if (name !== 'origin') request.setRequestHeader(name, value);
      });
      request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
      request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
      // The message of a failed `fetch`, so that both are explained alike.
      request.onerror = () => reject(new TypeError('Failed to fetch'));
      request.onabort = () => reject(signal?.reason);
      signal?.addEventListener('abort', () => request.abort());
      request.send(body as XMLHttpRequestBodyInit);
    });
}
