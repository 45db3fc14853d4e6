/** All texts of the page, room by room. Sentences for people who do not program: short, plain, what to do next. */
import { contextTexts } from './texts/context.ts';
import { conversationTexts } from './texts/conversation.ts';
import { filesTexts } from './texts/files.ts';
import { inspectorTexts } from './texts/inspector.ts';
import { modelsTexts } from './texts/models.ts';
import { packagesTexts } from './texts/packages.ts';
import { runTexts } from './texts/run.ts';
import { settingsTexts } from './texts/settings.ts';
import { shellTexts } from './texts/shell.ts';
import { startTexts } from './texts/start.ts';
import { stateTexts } from './texts/state.ts';
import { worksTexts } from './texts/works.ts';

export const en = {
  ...shellTexts.en,
  ...startTexts.en,
  ...worksTexts.en,
  ...conversationTexts.en,
  ...stateTexts.en,
  ...contextTexts.en,
  ...runTexts.en,
  ...inspectorTexts.en,
  ...filesTexts.en,
  ...packagesTexts.en,
  ...settingsTexts.en,
  ...modelsTexts.en,
} as const;

export const zhCn = {
  ...shellTexts.zhCn,
  ...startTexts.zhCn,
  ...worksTexts.zhCn,
  ...conversationTexts.zhCn,
  ...stateTexts.zhCn,
  ...contextTexts.zhCn,
  ...runTexts.zhCn,
  ...inspectorTexts.zhCn,
  ...filesTexts.zhCn,
  ...packagesTexts.zhCn,
  ...settingsTexts.zhCn,
  ...modelsTexts.zhCn,
} as const;
