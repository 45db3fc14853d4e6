/**
 * The Chromium of this process and its contexts. Tests use contexts one after another: the renderer process of a context stays
 * alive between two tests, so that the scripts of the page are fetched and compiled once and not for every test. Nothing that a
 * page stored is left for the next one.
 */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { CHROMIUM_ARGS } from '../scripts/chromium-args.mjs';
import { findChromium } from '../scripts/find-chromium.mjs';

/** Benchmarks measure a first visit. */
const reusesContexts = process.env.VITEST !== undefined;

/** A separate Chromium; closing it closes its pages. */
export function openBrowser(): Promise<Browser> {
  const args = reusesContexts ? [...CHROMIUM_ARGS, '--process-per-site'] : CHROMIUM_ARGS;
  return chromium.launch({ executablePath: findChromium() ?? '', args });
}

export interface UsedContext {
  readonly context: BrowserContext;
  /** Closes its pages; a later test may get the context. */
  readonly release: () => Promise<void>;
}

interface ReusableContext {
  readonly context: BrowserContext;
  /** Contexts with the same options are interchangeable. */
  readonly key: string;
  /** Closes the pages of a test and removes what they stored. */
  readonly clean: (origin: string) => Promise<void>;
}

let sharedBrowser: Promise<Browser> | undefined;
const used = new Set<UsedContext>();
/** The least recently used one first. */
const idle: ReusableContext[] = [];
let lastRelease = Promise.resolve();
/** Each idle context keeps a process alive. */
const MAX_IDLE = 3;

/** A context without data for pages of the server at `origin`. Contexts that are in use share nothing. */
export async function useContext(options: BrowserContextOptions, origin: string): Promise<UsedContext> {
  sharedBrowser ??= openBrowser();
  const browser = await sharedBrowser;
  if (!reusesContexts) {
    const context = await browser.newContext(options);
    return { context, release: () => context.close() };
  }
  await lastRelease;
  const key = JSON.stringify(options);
  const index = idle.findLastIndex((other) => other.key === key);
  const [found] = index === -1 ? [] : idle.splice(index, 1);
  const reusable = found ?? (await createReusable(await browser.newContext(options), key, origin));
  let released: Promise<void> | undefined;
  const use: UsedContext = {
    context: reusable.context,
    release() {
      used.delete(use);
      released ??= lastRelease = lastRelease.then(() => putBack(reusable, origin));
      return released;
    },
  };
  used.add(use);
  return use;
}

/** After a test: pages that it left open would follow what later tests do. */
export async function releaseContexts(): Promise<void> {
  for (const { release } of used) void release();
  await lastRelease;
}

async function createReusable(
  context: BrowserContext,
  key: string,
  origin: string,
): Promise<ReusableContext> {
  // A small document of the same site: without it, the process would end with the last page of a test.
  const anchor = await context.newPage();
  await anchor.goto(`${origin}/icon.svg`);
  const session = await context.newCDPSession(anchor);
  return {
    context,
    key,
    async clean(usedOrigin) {
      const pages = context.pages().filter((page) => page !== anchor);
      await Promise.all(pages.map((page) => page.close()));
      await session.send('Storage.clearDataForOrigin', { origin: usedOrigin, storageTypes: 'all' });
      await context.clearCookies();
    },
  };
}

async function putBack(reusable: ReusableContext, origin: string): Promise<void> {
  try {
    await reusable.clean(origin);
    idle.push(reusable);
  } catch {
    // The test closed the context, or a page of it crashed.
    await reusable.context.close();
  }
  if (idle.length > MAX_IDLE) await idle.shift()?.context.close();
}
