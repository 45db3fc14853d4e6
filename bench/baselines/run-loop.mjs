/**
 * A minimal loop with fetch: `execute` returns the result of a call with its path, until a reply has no call.
 */
export async function runLoop(url, execute) {
  const messages = [
    { role: 'system', content: 'You work through tools.' },
    { role: 'user', content: 'Go.' },
  ];
  for (;;) {
    const reply = await streamChat(url, messages);
    messages.push(reply);
    if (!reply.tool_calls) return;
    for (const call of reply.tool_calls) {
      const content = await execute(call, JSON.parse(call.function.arguments).path);
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
}

/** A streamed completion. */
async function streamChat(url, messages) {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages }),
  });
  const decoder = new TextDecoder();
  const reply = createReply();
  let buffer = '';
  for await (const bytes of response.body) {
    buffer += decoder.decode(bytes, { stream: true });
    const events = buffer.split('\n\n');
    buffer = events.pop();
    for (const event of events) reply.add(event);
  }
  return reply.message();
}

/** The message of a reply, put together from its server-sent events. */
export function createReply() {
  const calls = [];
  let content = '';
  return {
    add(event) {
      if (!event.startsWith('data: {')) return;
      const delta = JSON.parse(event.slice(6)).choices[0]?.delta ?? {};
      content += delta.content ?? '';
      for (const part of delta.tool_calls ?? []) {
        calls[part.index] ??= {
          id: part.id,
          type: 'function',
          function: { name: part.function.name, arguments: '' },
        };
        const call = calls[part.index];
        call.function.arguments += part.function.arguments ?? '';
      }
    },
    message: () => ({
      role: 'assistant',
      content: content || null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }),
  };
}
