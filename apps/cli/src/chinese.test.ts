/** Commands on a Chinese terminal: what the program itself says is Chinese, whatever it lists. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCliRig } from './testing/cli-rig.ts';

const SUPPER = join(import.meta.dirname, '../../../examples/supper-plan');
const EXAMPLE = join(import.meta.dirname, '../../../examples/hello-branch-zh');

/** Words of the output that are not names, paths, codes, hashes or commands to type. */
function englishIn(out: string): string[] {
  return out
    .replaceAll(/crewagent [^\n“”，。；）]+/g, '')
    .replaceAll(/\S*[/._-]\S*|\b[A-Z_]{2,}\b|\bsha256\b|\b[0-9a-f]{8,}\b/g, '')
    .split(/[^A-Za-z']+/)
    .filter((word) => word.length > 2 && !NAMES.has(word));
}

const NAMES = new Set([
  'CrewAgent',
  'PACKAGE',
  'NAME',
  'tale',
  'json',
  'analyst',
  'close',
  'KiB',
  'Supper',
  'plan',
  'lazy',
  'literal',
  'diligent',
  'Sigstore',
  'ripgrep',
  'token',
]);

async function createChineseRig() {
  return createCliRig({ LANG: 'zh_CN.UTF-8', LC_ALL: 'zh_CN.UTF-8' });
}

/** What a command says, which must be no English and no error. */
function sayerIn(rig: Awaited<ReturnType<typeof createChineseRig>>) {
  return async (...args: string[]): Promise<string> => {
    const { out, err } = await rig.run(...args);
    expect([args, err, englishIn(out)]).toEqual([args, '', []]);
    return out;
  };
}

describe('on a Chinese terminal', () => {
  it.each([
    [['runs', '--nope'], "错误：没有选项 '--nope'\n用 --help 查看用法。\n"],
    [['runs', '--jsn'], "错误：没有选项 '--jsn'\n（是否想用 --json？）\n用 --help 查看用法。\n"],
    [['pakages'], "错误：没有命令 'pakages'\n（是否想用 packages？）\n用 --help 查看用法。\n"],
    [['show', 'a', 'b'], "错误：'show' 的参数过多：应有 1 个，实际 2 个。\n用 --help 查看用法。\n"],
    [['run'], "错误：缺少参数 'package'\n用 --help 查看用法。\n"],
    [['run', 'x', '--approve'], "错误：选项 '--approve <preset>' 缺少值\n用 --help 查看用法。\n"],
  ])('[C1] %j is refused in Chinese', async (args, sentence) => {
    const { err, code } = await (await createChineseRig()).run(...args);
    expect([err, code]).toEqual([sentence, 2]);
  });

  it('[C1] an error begins with what it means', async () => {
    const { err, code } = await (await createChineseRig()).run('packages', 'show', 'nowhere');
    expect([err, code]).toEqual([expect.stringMatching(/^错误：[\u4e00-\u9fff]+。.*nowhere/s), 2]);
  });

  it.each([
    ['packages', 'list'],
    ['packages', 'outdated'],
    ['packages', 'index', 'list'],
    ['keys', 'list'],
    ['keys', 'trust-root'],
    ['mcp', 'list'],
    ['hooks', 'list'],
    ['policy', 'check'],
    ['runs'],
    ['conversations'],
  ])('[C1] %s %s says in Chinese that there is nothing', async (...args) => {
    const { out, code } = await (await createChineseRig()).run(...args);
    expect(code).toBe(0);
    expect([out, englishIn(out)]).toEqual([expect.stringMatching(/[\u4e00-\u9fff]/), []]);
  });

  it('[C1] packages and keys are listed in Chinese', async () => {
    const rig = await createChineseRig();
    const add = ['packages', 'add'];
    const chinese = async (...args: string[]): Promise<string> => {
      const { out } = await rig.run(...args);
      expect([args, englishIn(out)]).toEqual([args, []]);
      return out;
    };
    expect(await chinese('keys', 'create', 'tale')).toContain('已创建密钥');
    expect(await chinese('keys', 'list')).toContain('你的密钥');
    await rig.run('pack', EXAMPLE, '-o', 'tale.bmad');
    expect(await chinese(...add, 'tale.bmad')).toContain('已安装 hello-branch-zh');
    expect(await chinese(...add, 'tale.bmad')).toContain('之前已安装');
    expect((await rig.run('packages', 'show', 'hello-branch-zh')).out).toContain('  未签名\n');
    await chinese('packages', 'list');
    await rig.run('new', 'tale');
    await rig.run(...add, 'tale');
    await appendFile(join(rig.folder, 'tale/workflow.md'), '\n更多。\n');
    expect(await chinese('packages', 'outdated')).toMatch(
      /已安装 +可用[\s\S]+0\.1\.0，内容有改动 [0-9a-f]{12}/,
    );
    expect(await chinese('packages', 'upgrade')).toContain('已安装 tale');
    expect(await chinese('packages', 'remove', 'hello-branch-zh')).toContain('已移除');
  });

  it('[C1] what is done to runs, files and settings is said in Chinese', async () => {
    const rig = await createChineseRig();
    const said = sayerIn(rig);
    await rig.run('run', SUPPER, '-p', 'project', '--rehearsal', '-i', '四个人', '--approve', 'autopilot');
    expect(await said('stop', 'last')).toContain('不在任何进程中执行');
    expect(await said('undo', 'last', '--dry-run')).toMatch(
      /可以撤销 \d+ 处改动：\n {2}新建 +@project.artifacts.*节点 .*，调用 /,
    );
    await rig.run('undo', 'last', '--all');
    expect(await said('undo', 'last')).toBe('没有可以撤销的改动。\n');
    expect(await said('rewind', 'last', '--node', 'close')).toContain('的开头。继续：');
    expect(await said('search', 'zzzzzz')).toMatch(/^在 \d+ 个运行和对话中没有找到。\n$/);
    expect(await said('runs', 'delete', 'last', '--yes')).toMatch(/^✔ 已删除 运行 /);
    expect(await said('new', 'tale')).toMatch(/已创建在 tale\n[\s\S]*下一步：/);
    expect(await said('pack', 'tale')).toContain(' 个文件');
    expect((await rig.run('config', 'list')).out).toContain('还没有设置模型。');
    expect(await said('config', 'unset', 'limits.maxTurns')).toContain('已恢复为默认值');
    const model = ['config', 'add-model', 'mine', '--base-url', 'http://127.0.0.1:9/v1', '--model', 'm'];
    expect((await rig.run(...model)).out).toContain('✔ mine 是 m，并设为默认\n  如果需要 API 密钥：');
  });

  it('[C1] models, commands of models, other agents and imports are set up in Chinese', async () => {
    const rig = await createChineseRig();
    const said = sayerIn(rig);
    expect(await said('models', 'report')).toContain('演练不计入');
    expect(await said('models', 'report', '--package', 'tale', '--since', '2026-01-31')).toContain('“tale”');
    expect((await rig.run('model', 'list')).out).toMatch(
      /已知适用的模型[\s\S]*需要 \d+ GB 内存[\s\S]*安装方法：/,
    );
    expect(await said('shell', 'status', '--project', 'project')).toBe('模型不能在这个项目中运行命令。\n');
    expect((await rig.run('shell', 'enable', '--project', 'project')).out).toContain(
      '✔ 模型可以在这个项目中运行命令。\n',
    );
    expect((await rig.run('connect', 'cursor', '--yes')).out).toContain('以后会启动 crewagent');
    expect((await rig.run('connect', 'cursor', '--yes')).out).toContain('已经连接：');
    expect((await rig.run('disconnect', 'cursor', '--yes')).out).toContain('已断开连接');
    await rig.write('source', {
      'module.yaml': 'code: birds\n',
      'workflows/count/workflow.md': '# Count birds\n',
    });
    const { out } = await rig.run('import', 'source');
    expect(out.split('\n').slice(0, 7)).toEqual([
      '✔ birds 1 个工作流, 1 个智能体  birds',
      '  来源      bmad-v6  workflows/count/workflow.md',
      '  工作流    count  可用 micro-steps, 1 个节点, 0 条连线',
      '  连线      0 处准确，0 处推断，0 处舍弃',
      '  其他      1 处准确，2 处推断，0 处舍弃',
      '  检查      0 个错误, 0 个警告',
      '  演练      节点 1/1，连线 0/0',
    ]);
    expect(out).toContain('\n请人工核对：\n');
  });

  it('[C1] doctor checks the machine in Chinese; what programs read is in English', async () => {
    const rig = await createChineseRig();
    const { out } = await rig.run('doctor');
    expect(out).toContain('首次运行时创建');
    expect(englishIn(out)).toEqual([]);
    const { checks } = JSON.parse((await rig.run('doctor', '--json')).out) as { checks: unknown[] };
    expect(checks).toContainEqual({
      name: 'store',
      state: 'ok',
      detail: `${rig.store} (created with the first run)`,
    });
  });

  it.each(['packages', 'shell', 'models'])(
    '[C1] %s without one of its commands prints its help in Chinese',
    async (group) => {
      const { code, err } = await (await createChineseRig()).run(group);
      expect([code, err]).toEqual([2, expect.stringMatching(/^用法：[\s\S]*选项：[\s\S]*显示帮助/)]);
    },
  );

  it('[C1] [K14] what a rehearsal says, asks and writes is in Chinese', async () => {
    const rig = await createChineseRig();
    const args = ['run', EXAMPLE, '-p', 'project', '--rehearsal', '--approve', 'autopilot'];
    // In a process of its own: the language is that of the system.
    const { out } = await rig.spawn(...args, '-i', '莱德', '-i', '共享购物清单', '-i', '还没有').ended;
    expect(out).toMatch(/演练：正在[\s\S]*演练已结束/);
    // Not the ids of questions and edges.
    expect(englishIn(out.replaceAll(/\(\w+, text\)|› \w+:|brownfield/g, ''))).toEqual([]);
    const written = await readFile(join(rig.project, 'artifacts/hello-branch/summary.md'), 'utf8');
    expect(written).toContain('本文件来自演练');
    expect(englishIn(written)).toEqual([]);
  });

  it('[C1] a rehearsal, its heads and what failed are in Chinese', async () => {
    const rig = await createChineseRig();
    const { out } = await rig.run('rehearse', EXAMPLE);
    expect(out).toMatch(/工作流 +节点 +连线 +停顿 +检查 +运行 +警告/);
    expect(englishIn(out)).toEqual([]);
    const trials = await rig.run('rehearse', EXAMPLE, '--as', 'all');
    expect(trials.out).toMatch(/工作流 +读者 +节点 +轮次 +结果/);
    await rig.run('new', 'tale');
    await appendFile(join(rig.folder, 'tale/steps/step-01-ask.md'), '\nRead `assets/none.md`.\n');
    const failed = await rig.run('rehearse', 'tale');
    expect(failed.out).toContain('失败：步骤提到的 1 个文件不在工作包中');
  });
});
