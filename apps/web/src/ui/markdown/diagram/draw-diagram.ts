/** Draws diagrams in a sandboxed frame of the page, which is created with the first one. */
import type { DrawingAnswer, DrawingColors, DrawingRequest } from './drawing-messages.ts';

/** A drawing that takes longer is given up, with its frame. */
const MAX_MS = 15_000;

export async function drawDiagram(source: string, colors: DrawingColors): Promise<DrawingAnswer> {
  const key = JSON.stringify([source, colors]);
  const known = drawn.get(key);
  if (known) return known;
  const answer = await request({ source, colors });
  drawn.set(key, answer);
  const [oldest] = drawn.keys();
  if (drawn.size > MAX_DRAWN && oldest !== undefined) drawn.delete(oldest);
  return answer;
}

/** By source and colours: a diagram is rendered again whenever its row scrolls into view. */
const drawn = new Map<string, DrawingAnswer>();
const MAX_DRAWN = 50;

let loading: Promise<HTMLIFrameElement> | undefined;

async function request(message: DrawingRequest): Promise<DrawingAnswer> {
  loading ??= loadFrame();
  const frame = await loading;
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => {
      frame.remove();
      loading = undefined;
      resolve({ ok: false, message: `No answer within ${MAX_MS / 1_000} s.` });
    }, MAX_MS);
    port1.onmessage = ({ data }: MessageEvent<DrawingAnswer>) => {
      clearTimeout(timer);
      port1.close();
      resolve(data);
    };
    // An opaque origin has no name; the frame has nobody else to tell.
    frame.contentWindow?.postMessage(message, '*', [port2]);
  });
}

function loadFrame(): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = '/diagram-frame.html';
  frame.tabIndex = -1;
  frame.ariaHidden = 'true';
  frame.title = '';
  // Laid out, because texts are measured, and nowhere in sight.
  frame.className = 'pointer-events-none fixed top-0 left-[-200vw] h-[100vh] w-[100vw] border-0 opacity-0';
  return new Promise((resolve) => {
    frame.onload = () => resolve(frame);
    document.body.append(frame);
  });
}
