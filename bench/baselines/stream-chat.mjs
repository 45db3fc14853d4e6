/**
 * A minimal streamed completion with fetch.
 */
export async function streamChat(url, messages) {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages }),
  });
  const decoder = new TextDecoder();
  let [buffer, content] = ['', ''];
  const calls = [];
  for await (const bytes of response.body) {
    buffer += decoder.decode(bytes, { stream: true });
    const events = buffer.split('\n\n');
    buffer = events.pop();
    for (const event of events) {
      if (event === 'data: [DONE]') continue;
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
    }
  }
  return { role: 'assistant', content: content || null, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}
