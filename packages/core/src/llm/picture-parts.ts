/** Puts the bytes of pictures into the messages of a request, right before it is sent: neither logs nor hashes contain them. */
import type { Picture } from '@crewagent/protocol/pictures';
import type { ChatMessage, ChatRequest, PicturedMessage, UserMessage } from './wire.ts';

/** What is sent for a picture that the model cannot see. */
export function toUnseenNote(pictures: readonly Picture[]): string {
  const names = pictures.map(({ path, mime, bytes }) => `${path} (${mime}, ${bytes} bytes)`).join(', ');
  return `[You cannot see pictures. The user attached: ${names}. If you need what is on it, ask the user to describe it.]`;
}

/** The same object for the same message, so that its bytes are serialised once. */
const prepared = new WeakMap<ChatMessage, Promise<PicturedMessage>>();

export async function withPictures({ messages, tools, loadPicture }: ChatRequest): Promise<{
  messages: readonly (ChatMessage | PicturedMessage)[];
  tools: ChatRequest['tools'];
}> {
  if (!messages.some(hasPictures)) return { messages, tools };
  const prepare = async (message: ChatMessage): Promise<ChatMessage | PicturedMessage> => {
    if (!hasPictures(message)) return message;
    const known = prepared.get(message) ?? toPictured(message, loadPicture);
    prepared.set(message, known);
    return known;
  };
  return { messages: await Promise.all(messages.map(prepare)), tools };
}

function hasPictures(message: ChatMessage): message is UserMessage & { pictures: readonly Picture[] } {
  return message.role === 'user' && message.pictures !== undefined;
}

async function toPictured(
  { content, pictures }: UserMessage & { readonly pictures: readonly Picture[] },
  loadPicture: ChatRequest['loadPicture'],
): Promise<PicturedMessage> {
  const parts = await Promise.all(
    pictures.map(async (picture): Promise<PicturedMessage['content'][number]> => {
      const bytes = await loadPicture?.(picture);
      if (!bytes) return { type: 'text', text: `[The picture ${picture.path} could not be read.]` };
      const data = Buffer.from(bytes).toString('base64');
      return { type: 'image_url', image_url: { url: `data:${picture.mime};base64,${data}` } };
    }),
  );
  return { role: 'user', content: [{ type: 'text', text: content }, ...parts] };
}
