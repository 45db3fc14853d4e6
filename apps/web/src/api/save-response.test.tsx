import { expect, it } from 'vitest';
import { saveResponse } from './save-response.ts';

it.each([
  [`attachment; filename="__.docx"; filename*=UTF-8''${encodeURIComponent('总结.docx')}`, '总结.docx'],
  ['attachment; filename="plan.docx"', 'plan.docx'],
  [undefined, 'mine.docx'],
])('a file is saved with the name that the server sends: %s', async (sent, name) => {
  const saved: string[] = [];
  const note = (event: Event): void => {
    if (event.target instanceof HTMLAnchorElement) saved.push(event.target.download);
    event.preventDefault();
  };
  const { click } = HTMLAnchorElement.prototype;
  HTMLAnchorElement.prototype.click = function dispatch() {
    this.addEventListener('click', note);
    this.dispatchEvent(new MouseEvent('click', { cancelable: true }));
  };
  const headers = new Headers(sent === undefined ? [] : [['content-disposition', sent]]);
  await saveResponse(new Response('text', { headers }), 'mine.docx');
  HTMLAnchorElement.prototype.click = click;
  expect(saved).toEqual([name]);
});
