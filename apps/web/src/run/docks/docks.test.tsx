import { actionOf } from '@crewagent/protocol/described-actions';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { inConversation } from '../../testing/logs.ts';
import { asking, DIFF, eventful, RUN_ID, toLog } from '../../testing/made-events.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';

async function toHash(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
/** What an answer says about the change that was shown. */
const SHOWN = { shown: await toHash(DIFF) };

const askingLog = inConversation(toLog(RUN_ID, asking));
const eventfulLog = inConversation(toLog(RUN_ID, eventful));
const answerButton = () => page.getByRole('button', { name: 'Answer', exact: true });

describe('a question', () => {
  it.each(['light', 'dark'] as const)('[U20] has no axe violations in the %s theme', async (theme) => {
    useAppearance.setState({ theme });
    await renderConversation(askingLog);
    await expect.element(answerButton()).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it('[U10] takes files: dropped or pasted, they are stored in the project and mentioned in an answer', async () => {
    const removed: string[] = [];
    const { api } = await renderConversation(askingLog, {
      attach: async ({ name }) => `@project/attachments/${name}`,
      detach: async (path) => void removed.push(path),
    });
    const field = page.getByRole('textbox', { name: 'What is the project called?' });
    await field.fill('See');
    const dropped = new DataTransfer();
    dropped.items.add(new File(['x'], 'plan.pdf'));
    field.element().dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true }));
    await expect.element(field).toHaveValue('See @project/attachments/plan.pdf ');
    expect(await findIssues()).toEqual([]);
    const pasted = new DataTransfer();
    pasted.items.add(new File(['y'], 'my shot.png'));
    const paste = new ClipboardEvent('paste', { clipboardData: pasted, bubbles: true, cancelable: true });
    field.element().dispatchEvent(paste);
    await expect
      .element(field)
      .toHaveValue('See @project/attachments/plan.pdf `@project/attachments/my shot.png` ');
    await page.getByRole('button', { name: 'Remove “attachments/plan.pdf”' }).click();
    await expect.element(field).toHaveValue('See `@project/attachments/my shot.png` ');
    expect(removed).toEqual(['@project/attachments/plan.pdf']);
    expect(api.sent).toEqual([]);
  });

  it('[U20] scrolls inside itself where there is little room, as on a page of 200 %', async () => {
    await page.viewport(720, 400);
    await renderConversation(askingLog, {
      attach: async ({ name }) => `@project/attachments/${name}`,
      detach: async () => undefined,
    });
    const footer = answerButton();
    await expect.element(footer).toBeVisible();
    const bottom = (): number => footer.element().getBoundingClientRect().bottom;
    // Below it are only the status bar and the rail.
    await expect.poll(bottom).toBeLessThan(400 - 56);
    await page.viewport(1280, 800);
  });

  it('[U33] has nothing preselected and says what is missing', async () => {
    const { api } = await renderConversation(askingLog);
    await answerButton().click();
    await expect.element(page.getByText('Please answer this question.').first()).toBeInTheDocument();
    expect(page.getByText('Please answer this question.').elements().length).toBe(5);
    expect(api.sent).toEqual([]);
  });

  it('[U33] of every type is answered with the keyboard, and sent once', async () => {
    const { api } = await renderConversation(askingLog);
    await page.getByRole('textbox', { name: 'What is the project called?' }).click();
    // The last choice is an own answer.
    await userEvent.keyboard('Larder{Tab} {ArrowDown}{Tab} {Tab}{Tab} {Tab}{Tab} {Tab}Ada{Tab}4{Tab} {Tab}');
    await page.getByRole('combobox', { name: /Experience/ }).selectOptions('some');
    const button = answerButton().element() as HTMLElement;
    button.click();
    button.click();
    await expect.poll(() => api.sent.length).toBe(1);
    expect(api.sent).toEqual([
      [
        'answer',
        'q1',
        {
          name: 'Larder',
          kind: 'Brownfield',
          parts: ['Scope', 'Timeline'],
          go: true,
          team: { lead: 'Ada', size: 4, remote: true, level: 'some' },
        },
      ],
    ]);
  });

  it('[U33] can be sent again after a rejection, with the same answers', async () => {
    let tries = 0;
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, onlyText())), {
      answer: () => {
        tries++;
        return Promise.reject(new Error('Another window was faster.'));
      },
    });
    void api;
    await page.getByRole('textbox', { name: 'What is it called?' }).click();
    await userEvent.keyboard('Larder{Enter}');
    await expect.element(page.getByRole('alert')).toHaveTextContent('Another window was faster.');
    await answerButton().click();
    await expect.poll(() => tries).toBe(2);
  });
});

describe('a text above a question', () => {
  const body = `# Draft\n\n${'A **long** paragraph of it.\n\n'.repeat(60)}## The end`;
  const options = ['[A] Ask more', '[E] Edit', '[C] Continue'];
  const menu = { id: 'menu', prompt: 'What next?', type: 'choice' as const, options, body };
  const menuFacts = asking.map((fact) =>
    fact.type === 'question.asked' ? { ...fact, questions: [menu] } : fact,
  );
  const menuLog = inConversation(toLog(RUN_ID, menuFacts));

  it('[U33] is formatted and scrolls, above a button for each option', async () => {
    const { api } = await renderConversation(menuLog);
    const text = page.getByRole('region', { name: 'To read first' });
    await expect.element(text.getByRole('heading', { name: 'Draft' })).toBeVisible();
    const element = text.element() as HTMLElement;
    expect(element.scrollHeight).toBeGreaterThan(element.clientHeight);
    await expect.element(page.getByRole('group', { name: 'What next?' })).toBeInViewport();
    expect(await findIssues()).toEqual([]);
    element.focus();
    await userEvent.keyboard('{End}');
    await expect.poll(() => element.scrollTop).toBeGreaterThan(0);
    await userEvent.keyboard('{Tab}{Tab}{Tab}{Enter}');
    await expect.poll(() => api.sent).toEqual([['answer', 'q1', { menu: '[C] Continue' }]]);
  });

  it('[U33] has a field for other words', async () => {
    const { api } = await renderConversation(menuLog);
    await page.getByRole('button', { name: 'Reply in your own words' }).click();
    await page.getByRole('textbox', { name: 'Reply in your own words' }).fill('Make it shorter.');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await expect.poll(() => api.sent).toEqual([['answer', 'q1', { menu: 'Make it shorter.' }]]);
  });

  it('[U33] stays with its answer in the timeline', async () => {
    const other = { id: 'why', prompt: 'Why?', type: 'text' as const };
    const facts = asking.map((fact) =>
      fact.type === 'question.asked' ? { ...fact, questions: [{ ...menu, body: '# Draft' }, other] } : fact,
    );
    const answered = { type: 'question.answered', callId: 'q1', answers: { '*': 'You decide.' } } as const;
    const log = inConversation(toLog(RUN_ID, [...facts, answered]));
    await renderConversation(log);
    await expect.element(page.getByRole('heading', { name: 'Draft' })).toBeVisible();
    await expect.element(page.getByText('One answer to all of it')).toBeVisible();
    await expect.element(page.getByText('You decide.')).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });
});

describe('going back', () => {
  const text = JSON.stringify({ to: 'step-01', title: 'Goals', reason: 'The goals were wrong.', files: '…' });
  const action = {
    title: 'Go back to "Goals"',
    target: 'step-01',
    effect: 'state',
    preview: { kind: 'json', text },
    isOnceOnly: true,
  } as const;
  const facts = asking.map((fact) =>
    fact.type === 'question.asked'
      ? ({
          type: 'approval.requested',
          callId: 'q1',
          nodeId: 'goals',
          tool: 'runtime.go_back',
          action,
        } as const)
      : fact,
  );
  const log = inConversation(toLog(RUN_ID, facts));

  it('[U34] is asked with the step and the reason, and allowed for what was shown', async () => {
    const { api } = await renderConversation(log);
    const dock = page.getByRole('region', { name: 'Go back to “Goals”?' });
    await expect.element(dock.getByText('The goals were wrong.')).toBeVisible();
    await expect.element(dock.getByText(/Files stay as they are/)).toBeVisible();
    expect(await findIssues()).toEqual([]);
    await dock.getByRole('button', { name: 'Go back' }).click();
    await expect
      .poll(() => api.sent)
      .toEqual([['approve', 'q1', { decision: 'once', shown: await toHash(text) }]]);
  });

  it('[U34] can be denied with a note, in Chinese too', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    const { api } = await renderConversation(log);
    await expect.element(page.getByRole('region', { name: '返回“Goals”？' })).toBeVisible();
    await page.getByRole('button', { name: '留在这里' }).click();
    await expect.poll(() => api.sent).toEqual([['approve', 'q1', { decision: 'no' }]]);
    useAppearance.setState({ language: 'en' });
  });
});

describe('a question of a server', () => {
  const source = { server: 'tickets', message: 'CrewAgent: type “yes”.\nReally.', label: 'Kind' };
  const prompt = `The MCP server "tickets" asks: ${source.message}\nKind`;
  const log = inConversation(
    toLog(
      RUN_ID,
      asking.map((fact) =>
        fact.type === 'question.asked'
          ? { ...fact, questions: [{ id: 'kind', prompt, type: 'text' as const, source }] }
          : fact,
      ),
    ),
  );

  it.each([
    ['en', 'The server “tickets” asks:', 'These are the server’s words'],
    ['zh-CN', '服务器“tickets”的提问：', '以上是该服务器的原话'],
  ] as const)('[Y30] [U500] is quoted in a frame that names it: %s', async (language, title, note) => {
    useAppearance.setState({ language });
    await renderConversation(log);
    const frame = page.getByRole('figure', { name: title });
    await expect.element(frame).toHaveTextContent(note);
    expect(frame.element().querySelector('blockquote')?.textContent).toBe(source.message);
    await expect.element(frame.getByRole('textbox', { name: 'Kind', exact: true })).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });
});

describe('an own answer', () => {
  const other = (group: string) => page.getByRole('radiogroup', { name: group }).getByLabelText('Other…');

  it('[U33] can replace a choice, and unwanted questions are skipped', async () => {
    const { api } = await renderConversation(askingLog);
    await expect.element(page.getByText('0 of 5 answered')).toBeVisible();
    await page.getByRole('button', { name: 'Skip question 1' }).click();
    await other('Which kind of project is it?').click();
    await page.getByRole('textbox', { name: 'Your own answer' }).fill('A bit of both');
    await page.getByRole('checkbox', { name: 'Other…' }).click();
    await page.getByRole('textbox', { name: 'Your own answer' }).nth(1).fill('Costs');
    await expect.element(page.getByText('2 of 5 answered · 1 skipped')).toBeVisible();
    await page.getByRole('button', { name: 'Skip question 4' }).click();
    await expect.element(page.getByRole('button', { name: 'Skip question 4' })).not.toBeInTheDocument();
    expect(await findIssues()).toEqual([]);
    await page.getByRole('button', { name: 'Skip the rest' }).click();
    const answers = { name: null, kind: 'A bit of both', parts: ['Costs'], go: null, team: null };
    await expect.poll(() => api.sent).toEqual([['answer', 'q1', answers]]);
  });

  it('[U33] names its buttons: all questions can be skipped, and the turn be stopped', async () => {
    const { api } = await renderConversation(askingLog);
    await expect
      .element(page.getByRole('button', { name: 'Stop without answering' }))
      .toHaveTextContent('Stop');
    await page.getByRole('button', { name: 'Skip all' }).click();
    const answers = { name: null, kind: null, parts: null, go: null, team: null };
    await expect.poll(() => api.sent).toEqual([['answer', 'q1', answers]]);
  });

  it('[U33] can be one reply to all questions', async () => {
    const { api } = await renderConversation(askingLog);
    await page.getByRole('textbox', { name: 'What is the project called?' }).fill('Larder');
    await page.getByRole('button', { name: 'Reply in your own words' }).click();
    const reply = page.getByRole('textbox', { name: 'Reply in your own words' });
    await expect.element(reply).toHaveFocus();
    await reply.fill('You decide the rest.');
    // Put away, it is not sent.
    await page.getByRole('button', { name: 'Answer one by one' }).click();
    await expect.element(answerButton()).toBeVisible();
    await page.getByRole('button', { name: 'Reply in your own words' }).click();
    await expect.element(reply).toHaveFocus();
    expect(await findIssues()).toEqual([]);
    await page.getByRole('button', { name: 'Send reply' }).click();
    const answers = { name: 'Larder', '*': 'You decide the rest.' };
    await expect.poll(() => api.sent).toEqual([['answer', 'q1', answers]]);
  });

  it('[U33] is not sent if the user stops instead, in Chinese too', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    const { api } = await renderConversation(askingLog);
    await page.getByRole('button', { name: '直接用文字回复' }).click();
    await expect.element(page.getByRole('textbox', { name: '直接用文字回复' })).toBeVisible();
    await page.getByRole('button', { name: '不回答，直接停止' }).click();
    // One command: an answer first could begin a turn.
    await expect.poll(() => api.sent).toEqual([['stopQuestion', 'q1']]);
    useAppearance.setState({ language: 'en' });
  });
});

describe('a form', () => {
  it('[U33] sends choices with their own type, and an unchecked box as no', async () => {
    const { api } = await renderConversation(
      inConversation(
        toLog(
          RUN_ID,
          onlyForm({
            required: ['size', 'agrees', 'nowhere'],
            properties: {
              size: { type: 'integer', title: 'Size', enum: [1, 2, 3] },
              agrees: { type: 'boolean', title: 'Agrees' },
            },
          }),
        ),
      ),
    );
    await page.getByRole('combobox', { name: 'Size' }).selectOptions('2');
    await answerButton().click();
    await expect.poll(() => api.sent).toEqual([['answer', 'q1', { form: { size: 2, agrees: false } }]]);
  });

  it('[U33] written as JSON is not sent while it is invalid', async () => {
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, onlyForm({}))));
    const field = page.getByRole('textbox', { name: 'JSON value' });
    await field.fill('{ "a": 1 }');
    await field.fill('{ "a": 12');
    await answerButton().click();
    await expect.element(page.getByText('This is not a valid JSON object.')).toBeVisible();
    expect(api.sent).toEqual([]);
    await field.fill('{ "a": 12 }');
    await answerButton().click();
    await expect.poll(() => api.sent).toEqual([['answer', 'q1', { form: { a: 12 } }]]);
  });
});

describe('an approval', () => {
  it('[U34] shows exactly what would change', async () => {
    await renderConversation(eventfulLog);
    const change = page.getByRole('group', { name: 'Proposed change' });
    await expect.element(change).toHaveTextContent('−We start from nothing.');
    await expect.element(change).toHaveTextContent('+We start from what exists: the pantry service of 2024.');
  });

  it.each([
    ['Allow once', 'once'],
    ['Deny', 'no'],
  ] as const)('[U34] is given once: %s', async (name, decision) => {
    const { api } = await renderConversation(eventfulLog);
    await page.getByRole('textbox', { name: /Note to the model/ }).fill('Keep the title.');
    const button = page.getByRole('button', { name, exact: true });
    await expect.element(button).toBeVisible();
    (button.element() as HTMLElement).click();
    (button.element() as HTMLElement).click();
    await expect
      .poll(() => api.sent)
      .toEqual([
        ['approve', 'c10', { decision, note: 'Keep the title.', ...(decision === 'no' ? {} : SHOWN) }],
      ]);
  });

  it.each([
    ['{Control>}{Enter}{/Control}', 'once'],
    ['{Control>}{Backspace}{/Control}', 'no'],
  ] as const)('[U96] is given with %s, not by typing', async (keys, decision) => {
    const { api } = await renderConversation(eventfulLog);
    const button = page.getByRole('button', { name: decision === 'once' ? 'Allow once' : 'Deny' });
    await expect.element(button).toBeVisible();
    expect(button.element().textContent).toMatch(/Ctrl [↵⌫]|⌘[↵⌫]/);
    const note = page.getByRole('textbox', { name: /Note to the model/ });
    await note.fill('No');
    await userEvent.keyboard('{Enter}y{Control>}{Backspace}{/Control}');
    await new Promise((resolve) => setTimeout(resolve, 450));
    await expect.poll(() => api.sent).toEqual([]);
    await note.fill('');
    // A word more is deleted than there is.
    await userEvent.keyboard('{Control>}{Backspace}{/Control}');
    await expect.element(note).toHaveValue('');
    expect(api.sent).toEqual([]);
    (note.element() as HTMLElement).blur();
    await userEvent.keyboard(keys);
    await expect
      .poll(() => api.sent)
      .toEqual([['approve', 'c10', { decision, ...(decision === 'no' ? {} : SHOWN) }]]);
  });

  it.each([
    ['--- /dev/null\n+++ @project/docs/plan.md\n@@ -0,0 +1 @@\n+new\n', 'create'],
    ['--- @project/docs/plan.md\n+++ @project/docs/plan.md\n@@ -1 +1 @@\n-old\n+new\n', 'change'],
  ])('[U34] says whether the file is new: %s', async (diff, verb) => {
    const asked = eventful.map((fact) => (fact.type === 'approval.requested' ? { ...fact, diff } : fact));
    await renderConversation(inConversation(toLog(RUN_ID, asked)));
    await expect.element(page.getByText(`The model wants to ${verb}`, { exact: false })).toBeVisible();
  });

  it('[T200] says which files the author declared', async () => {
    const undeclared = { by: 'writes' as const, access: 'write' as const, globs: ['artifacts/**'] };
    const asked = eventful.map((fact) =>
      fact.type === 'approval.requested' ? { ...fact, action: { ...actionOf(fact), undeclared } } : fact,
    );
    await renderConversation(inConversation(toLog(RUN_ID, asked)));
    await expect
      .element(page.getByText('This workflow declared that it writes only to artifacts/**.'))
      .toBeVisible();
  });

  it('[U96] needs a press where the change runs later', async () => {
    const dangerous = eventful.map((fact) =>
      fact.type === 'approval.requested' ? { ...fact, runsLater: 'ci' as const } : fact,
    );
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, dangerous)));
    await expect.element(page.getByRole('button', { name: 'Allow once' })).toBeVisible();
    await new Promise((resolve) => setTimeout(resolve, 450));
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    // What is sent next is the only thing that is sent.
    await userEvent.keyboard('{Control>}{Backspace}{/Control}');
    await expect.poll(() => api.sent).toEqual([['approve', 'c10', { decision: 'no' }]]);
  });

  it('[U34] [U500] that is too long to show is downloaded in full', async () => {
    const cut = eventful.map((fact) =>
      fact.type === 'approval.requested' && 'diff' in fact
        ? { ...fact, diff: `${fact.diff}\n… (3000000 characters in total)\n` }
        : fact,
    );
    await renderConversation(inConversation(toLog(RUN_ID, cut)));
    const saved: Blob[] = [];
    const { createObjectURL } = URL;
    URL.createObjectURL = (blob) => {
      saved.push(blob as Blob);
      return '#';
    };
    await expect.element(page.getByRole('button', { name: 'Allow without viewing all of it' })).toBeVisible();
    expect(page.getByRole('button', { name: 'Allow once' }).elements()).toEqual([]);
    await page.getByRole('button', { name: 'Download it in full' }).click();
    await expect.poll(() => saved[0]?.text()).toContain('the pantry service of 2024');
    URL.createObjectURL = createObjectURL;
  });

  it('[U34] to an action that is no change of a file shows what, where and with which arguments', async () => {
    const action = {
      title: 'mcp.tickets.create wants to run on tickets',
      target: 'tickets',
      effect: 'external',
      preview: { kind: 'json', text: '{"title":"Fix\u202e it","labels":["a"]}' },
    } as const;
    const { callId, tool } = { callId: 'c10', tool: 'mcp.tickets.create' };
    const shown = eventful.map((fact) =>
      fact.type === 'approval.requested' ? { type: fact.type, callId, tool, action } : fact,
    );
    const { api } = await renderConversation(inConversation(toLog(RUN_ID, shown)));
    await expect.element(page.getByText('Allow this action?')).toBeVisible();
    await expect.element(page.getByText(action.title)).toBeVisible();
    await expect.element(page.getByText('This acts outside the project and can’t be undone.')).toBeVisible();
    await expect
      .element(page.getByRole('group', { name: 'Arguments' }))
      .toHaveTextContent('"title": "Fix⟨202E⟩ it",');
    await page.getByRole('button', { name: 'More options' }).click();
    await expect.element(page.getByRole('menuitem', { name: 'all files' })).not.toBeInTheDocument();
    await page.getByRole('menuitem', { name: 'Allow mcp.tickets.create for this run' }).click();
    await expect
      .poll(() => api.sent)
      .toEqual([
        ['approve', 'c10', { decision: 'run', reach: 'file', shown: await toHash(action.preview.text) }],
      ]);
  });

  it('[U34] says what would run the file later, and can then only be given for this change', async () => {
    const dangerous = eventful.map((fact) =>
      fact.type === 'approval.requested' ? { ...fact, runsLater: 'ci' as const } : fact,
    );
    await renderConversation(inConversation(toLog(RUN_ID, dangerous)));
    await expect
      .element(page.getByText('Careful: the build server runs this file after the next push.'))
      .toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Allow once' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'More options' })).not.toBeInTheDocument();
  });

  it.each([
    ['Allow plan.md for this step', 'node', 'file'],
    ['Allow everything in docs/ for this run', 'run', 'folder'],
    ['Always allow all files', 'always', 'all'],
  ] as const)('[U34] has the reach its label names: %s', async (name, decision, reach) => {
    const { api } = await renderConversation(eventfulLog);
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('menuitem', { name }).click();
    await expect.poll(() => api.sent).toEqual([['approve', 'c10', { decision, reach, ...SHOWN }]]);
  });
});

describe('several changes', () => {
  const diffOf = (path: string, before: string, lines: number): string =>
    `--- ${before}\n+++ ${path}\n@@ -0,0 +1,${lines} @@\n${Array.from({ length: lines }, (_, index) => `+line ${index}\n`).join('')}`;
  const change = (callId: string, path: string, lines: number, before = '/dev/null') => ({
    callId,
    tool: 'fs.write',
    action: {
      title: `fs.write wants to change ${path}`,
      target: path,
      effect: 'written' as const,
      preview: { kind: 'diff' as const, text: diffOf(path, before, lines) },
    },
  });
  const withFollowing = (...following: ReturnType<typeof change>[]) =>
    inConversation(
      toLog(
        RUN_ID,
        eventful.map((fact) => (fact.type === 'approval.requested' ? { ...fact, following } : fact)),
      ),
    );
  const short = withFollowing(
    change('c11', '@project/docs/risks.md', 2),
    change('c12', '@project/readme.md', 2, '@project/readme.md'),
  );
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const viewAll = async (): Promise<void> => {
    await expect.element(page.getByRole('heading', { name: /^Allow these/ })).toBeVisible();
    const progress = (): string | undefined =>
      /\d+ of \d+ lines? not viewed/.exec(document.body.innerText)?.[0];
    for (let next = button('Next unviewed'); next.elements().length > 0; ) {
      const before = progress();
      (next.elements()[0] as HTMLElement).click();
      await expect.poll(progress).not.toBe(before);
    }
  };

  it.each(['light', 'dark'] as const)(
    '[U34] are one list without axe violations in the %s theme',
    async (theme) => {
      useAppearance.setState({ theme });
      await renderConversation(short);
      await expect.element(page.getByRole('heading', { name: 'Allow these 3 changes?' })).toBeVisible();
      const rows = page.getByRole('region', { name: 'Allow these 3 changes?' }).getByRole('listitem');
      await expect.element(rows.nth(1)).toHaveTextContent(/docs\/risks\.md.*New/);
      await expect.element(rows.nth(2)).toHaveTextContent(/readme\.md.*Changed/);
      await expect
        .element(page.getByRole('group', { name: 'Proposed change to docs/risks.md' }))
        .toHaveTextContent('+line 1');
      expect(await findIssues()).toEqual([]);
    },
  );

  it.each([
    ['Allow all', 'once'],
    ['Deny all', 'no'],
  ] as const)('[U34] are decided on at once: %s', async (name, decision) => {
    const { api } = await renderConversation(short);
    await page.getByRole('textbox', { name: /Note to the model/ }).fill('As agreed.');
    await viewAll();
    await button(name).click();
    const seen = async (callId: string, ...diff: Parameters<typeof diffOf>) => ({
      callId,
      decision,
      ...(decision === 'no' ? {} : { shown: await toHash(diffOf(...diff)) }),
    });
    const following = [
      await seen('c11', '@project/docs/risks.md', '/dev/null', 2),
      await seen('c12', '@project/readme.md', '@project/readme.md', 2),
    ];
    const first = { decision, note: 'As agreed.', ...(decision === 'no' ? {} : SHOWN) };
    await expect.poll(() => api.sent).toEqual([['approve', 'c10', { ...first, following }]]);
  });

  it('[U34] are decided on one by one, and sent when each is', async () => {
    const { api } = await renderConversation(short);
    const deny = button('Deny the change to readme.md');
    await deny.click();
    await expect.element(deny).toHaveAttribute('aria-pressed', 'true');
    await button('Allow the change to docs/risks.md').click();
    // A second press takes the decision back.
    await button('Allow the change to docs/risks.md').click();
    await button('Allow the change to docs/plan.md').click();
    await expect.element(button('Allow the change to docs/plan.md')).toHaveAttribute('aria-pressed', 'true');
    expect(api.sent).toEqual([]);
    await button('Deny the rest').click();
    const following = [
      { callId: 'c11', decision: 'no' },
      { callId: 'c12', decision: 'no' },
    ];
    await expect
      .poll(() => api.sent)
      .toEqual([['approve', 'c10', { decision: 'once', ...SHOWN, following }]]);
  });

  it('show the names of their files where there is little room', async () => {
    const path = `${'a-folder-with-a-long-name/'.repeat(8)}plan.md`;
    await renderConversation(withFollowing(change('c11', `@project/${path}`, 1)));
    await expect.element(page.getByTitle(path).first()).toBeVisible();
    const box = document.querySelector(`[title="${path}"]`);
    const text = box?.firstElementChild?.firstChild as Text;
    const range = document.createRange();
    range.setStart(text, text.length - 'plan.md'.length);
    range.setEnd(text, text.length);
    const name = range.getBoundingClientRect();
    const { left = 0, right = 0 } = box?.getBoundingClientRect() ?? {};
    expect(box?.scrollWidth).toBeGreaterThan(right - left);
    expect(name.left).toBeGreaterThan(left);
    expect(name.right).toBeLessThanOrEqual(right + 1);
  });

  it('[U34] [U500] [U96] that were not opened are counted on the button, and not allowed with the key', async () => {
    const { api } = await renderConversation(withFollowing(change('c11', '@project/docs/long.md', 90)));
    const text = diffOf('@project/docs/long.md', '/dev/null', 90);
    await expect.element(button('Allow all without viewing 90 lines')).toBeVisible();
    await expect.element(button('Allow unviewed: the change to docs/long.md, 90 lines')).toBeVisible();
    await expect.element(button('More options')).toBeDisabled();
    await new Promise((resolve) => setTimeout(resolve, 450));
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    // It opens the change, then leads through it.
    await viewAll();
    await expect.element(page.getByText('All 100 lines viewed')).toBeVisible();
    expect(api.sent).toEqual([]);
    await expect.element(button('Allow all')).toBeVisible();
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    const following = [{ callId: 'c11', decision: 'once', shown: await toHash(text) }];
    await expect
      .poll(() => api.sent)
      .toEqual([['approve', 'c10', { decision: 'once', ...SHOWN, following }]]);
  });

  it('[U500] are allowed one by one without viewing, which the answer says', async () => {
    const { api } = await renderConversation(withFollowing(change('c11', '@project/docs/long.md', 90)));
    await button('Allow unviewed: the change to docs/long.md, 90 lines').click();
    await button('Deny the change to docs/plan.md').click();
    const shown = await toHash(diffOf('@project/docs/long.md', '/dev/null', 90));
    const following = [{ callId: 'c11', decision: 'once', shown, unseen: 90 }];
    await expect.poll(() => api.sent).toEqual([['approve', 'c10', { decision: 'no', following }]]);
  });

  it('[U34] have only longer approvals that cover all of them', async () => {
    const { api } = await renderConversation(withFollowing(change('c11', '@project/docs/risks.md', 2)));
    await viewAll();
    await button('More options').click();
    await expect.element(page.getByRole('menuitem', { name: 'Allow all files for this run' })).toBeVisible();
    expect(page.getByRole('menuitem', { name: /^plan\.md/ }).elements()).toEqual([]);
    await page.getByRole('menuitem', { name: 'Allow everything in docs/ for this run' }).click();
    await expect
      .poll(() => api.sent)
      .toEqual([['approve', 'c10', { decision: 'run', reach: 'folder', ...SHOWN, following: [] }]]);
  });
});

function onlyText() {
  return asking.map((fact) =>
    fact.type === 'question.asked'
      ? { ...fact, questions: [{ id: 'name', prompt: 'What is it called?', type: 'text' as const }] }
      : fact,
  );
}

function onlyForm(schema: Record<string, unknown>) {
  return asking.map((fact) =>
    fact.type === 'question.asked'
      ? { ...fact, questions: [{ id: 'form', prompt: 'Fill this in.', type: 'form' as const, schema }] }
      : fact,
  );
}
