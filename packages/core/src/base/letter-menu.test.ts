import { describe, expect, it } from 'vitest';
import { enter, MISSING, ok, step } from '../testing/rehearsal-scene.ts';
import { chosenOption, findMenu, leavingOptions } from './letter-menu.ts';

const MENU = '**Choose:** [A] Ask deeper questions [P] Hear other voices [C] Continue';
const LINES = ['[A] Ask deeper questions', '[P] Hear other voices', '[C] Continue'];

describe('letter menus', () => {
  it.each<[string, string[]]>([
    [MENU, ['A', 'P', 'C']],
    ['Show:\n\n- **[R]** Revise\n- **[C]** Continue', ['R', 'C']],
    ['- [A] 深入提问\n- [C] 继续', ['A', 'C']],
    ['- [ ] a task\n- [x] done\n- [X] done too', []],
    ['Only [C] Continue', []],
    ['See [source] and [1].', []],
  ])('[K14] are found: %s', (body, codes) => {
    expect(findMenu(body).map(({ code }) => code)).toEqual(codes);
  });

  it('[K14] an answer names an option by line, code or text', () => {
    const menu = findMenu(MENU);
    for (const answer of ['[P] Hear other voices', 'p', '[P]', 'hear other voices', 'Ｐ', '［ｐ］'])
      expect(chosenOption(menu, answer)?.code).toBe('P');
    expect(chosenOption(menu, 'something else')).toBeUndefined();
  });

  it('[K14] options that name an edge or a way on lead on, otherwise the last one', () => {
    const edge = { to: 'there', label: 'revise', isDefault: false, isMet: false };
    expect(
      leavingOptions(findMenu('[R] Revise [A] Ask [C] Continue'), [edge]).map(({ code }) => code),
    ).toEqual(['R', 'C']);
    expect(leavingOptions(findMenu('[A] Ask [B] Build'), []).map(({ code }) => code)).toEqual(['B']);
  });
});

describe('a step that halts', () => {
  const inputs = ['docs/a.md'];

  it.each(['HALT here.', 'Then wait for the user to confirm.', '然后等待用户确认。', MENU])(
    '[K14] asks even if every input exists: %s',
    async (body) => {
      const scene = enter({ inputs, step: step('', body) });
      await scene.answer(ok({ content: 'x' }));
      expect((await scene.next()).calls[0]?.[0]).toBe('ui_ask_user');
    },
  );

  it('[K14] shows a menu next to a WAIT only if the WAIT applies', async () => {
    const scene = enter({ inputs, step: step('', `If something is open, WAIT for a choice.\n\n${MENU}`) });
    await scene.answer(ok({ content: 'x' }));
    expect((await scene.next()).calls[0]?.[0]).toBe('fs_apply_patch');
  });

  it('[K14] shows its menu again after an option that does not lead on, and leaves after one that does', async () => {
    const scene = enter({ step: step('setsVariables: [topic]', MENU) });
    const { calls } = await scene.next();
    expect(calls).toEqual([
      [
        'ui_ask_user',
        { questions: [expect.objectContaining({ id: 'menu', type: 'choice', options: LINES })] },
      ],
    ]);
    await scene.answer(ok({ answers: { menu: LINES[0] } }));
    expect((await scene.next()).say).toContain('"Ask deeper questions"');
    await scene.answer(ok({ answers: { menu: 'P' } }));
    await scene.answer(ok({ answers: { menu: 'C' } }));
    const left = await scene.next();
    expect(left.calls[0]?.[0]).toBe('fs_apply_patch');
    // The letter is not an answer for the variables of the step.
    expect(JSON.stringify(left.calls)).toContain('rehearsal-topic');
  });

  it('[K14] takes the edge that the choice names', async () => {
    const allowedNext = [
      { to: 'there', label: 'next', isDefault: true as const },
      { to: 'back', label: 'revise' },
    ];
    const scene = enter({ allowedNext, step: step('', '[R] Revise [N] Next') });
    await scene.answer(ok({ answers: { menu: 'R' } }));
    expect((await scene.next()).say).toContain('is done, choosing "revise".');
  });
});

describe('files that a step names', () => {
  it('[K14] are read with the inputs, likely paths first; other steps are not read', async () => {
    const body =
      'Fill in `assets/form.md` and ../data/list.csv, follow @pkg/x/guide.md, then load ./step-02.md.';
    const scene = enter({ step: step('', body) });
    const { calls } = await scene.next();
    expect(calls.map(([, { path }]) => path)).toEqual([
      '@pkg/assets/form.md',
      '@pkg/data/list.csv',
      '@pkg/x/guide.md',
    ]);
    await scene.answer(MISSING, ok({ content: 'a' }), MISSING);
    expect((await scene.next()).calls).toEqual([
      ['fs_read', { path: '@pkg/steps/assets/form.md', endLine: 80 }],
    ]);
    await scene.answer(ok({ content: 'form' }));
    expect((await scene.next()).calls[0]?.[0]).toBe('fs_apply_patch');
  });
});
