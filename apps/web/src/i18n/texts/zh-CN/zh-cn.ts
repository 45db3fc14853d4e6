/** All Chinese (simplified) texts of the page. Chinese has no singular forms. */
import type { fileUse as lazyFileUse } from '@crewagent/protocol/texts/en/file-use';
import type { Texts } from '@crewagent/protocol/texts/texts';
import { calls } from '@crewagent/protocol/texts/zh-CN/calls';
import { fileUse } from '@crewagent/protocol/texts/zh-CN/file-use';
import { problem } from '@crewagent/protocol/texts/zh-CN/problems';
import { story } from '@crewagent/protocol/texts/zh-CN/story';
import type { author as lazyAuthor } from '../en/author.ts';
import type { bundles as lazyBundles } from '../en/bundles.ts';
import type { en } from '../en/en.ts';
import type { fields as lazyFields } from '../en/fields.ts';
import type { forks as lazyForks } from '../en/forks.ts';
import type { machine as lazyMachine } from '../en/machine.ts';
import type { models as lazyModels } from '../en/models.ts';
import type { overview as lazyOverview } from '../en/overview.ts';
import type { packages as lazyPackages } from '../en/packages.ts';
import type { replay as lazyReplay } from '../en/replay.ts';
import type { settings as lazySettings } from '../en/settings.ts';
import type { team as lazyTeam } from '../en/team.ts';
import { author } from './author.ts';
import { bundles } from './bundles.ts';
import { conversation } from './conversation.ts';
import { fields } from './fields.ts';
import { files } from './files.ts';
import { forks } from './forks.ts';
import { inspector } from './inspector.ts';
import { models } from './models.ts';
import { overview } from './overview.ts';
import { packages } from './packages.ts';
import { proof } from './proof.ts';
import { replay } from './replay.ts';
import { run } from './run.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { start } from './start.ts';
import { team } from './team.ts';
import { works } from './works.ts';

export const zhCn: Texts<
  typeof en &
    typeof lazyAuthor &
    typeof lazyBundles &
    typeof lazyFileUse &
    typeof lazyFields &
    typeof lazyForks &
    typeof lazyModels &
    typeof lazyOverview &
    typeof lazyPackages &
    typeof lazyReplay &
    typeof lazyMachine &
    typeof lazySettings &
    typeof lazyTeam
> = {
  ...shell,
  ...fileUse,
  problem,
  ...start,
  ...works,
  ...conversation,
  ...proof,
  ...story,
  ...calls,
  ...run,
  ...inspector,
  ...author,
  ...bundles,
  ...forks,
  ...overview,
  ...replay,
  ...files,
  ...packages,
  ...settings,
  ...fields,
  ...models,
  ...team,
};
