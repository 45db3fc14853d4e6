/**
 * Checks that no room has more lines of source than `budgets.json` allows. A room is a folder of a package's or an app's sources,
 * `scripts` or `bench`. Budgets go down: a decision record that needs more lines raises one by hand.
 *
 *   node scripts/check-budgets.mjs             the check
 *   node scripts/check-budgets.mjs --update    lowers budgets to what the rooms need, and removes those of rooms that are gone
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, isMain, root, say } from './set-up.mjs';

const BUDGETS = join(root, 'scripts/budgets.json');

/** Lines of source in each room. Tests do not count, their rigs do. */
export function measureRooms() {
  const rooms = {};
  for (const path of ['packages', 'apps', 'scripts', 'bench'].flatMap((folder) => [...filesIn(folder)])) {
    if (!/(?<!\.test)\.(?:tsx?|mjs)$/.test(path)) continue;
    const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1;
    rooms[roomOf(path)] = (rooms[roomOf(path)] ?? 0) + lines;
  }
  return rooms;
}

/** `packages/core/src/tools/state/x.ts` is in `packages/core/src/tools`, `packages/core/src/runtime.ts` in `packages/core/src`. */
export function roomOf(path) {
  const [top, ...folders] = path.split('/').slice(0, -1);
  const depth = { packages: 3, apps: 3 }[top] ?? 0;
  return [top, ...folders.slice(0, depth)].join('/');
}

/** One sentence for each room that is larger than its budget. */
export function findExcess(rooms, budgets) {
  return Object.entries(rooms)
    .filter(([room, lines]) => lines > (budgets[room] ?? 0))
    .map(([room, lines]) =>
      room in budgets
        ? `${room} has ${lines} lines, ${lines - budgets[room]} above its budget. Make it smaller, or raise the budget with a decision record.`
        : `${room} has ${lines} lines and no budget. Add one to scripts/budgets.json with a decision record.`,
    );
}

/** Budgets that no room needs are lowered; none is raised or added. */
export function lowerBudgets(rooms, budgets) {
  return Object.fromEntries(
    Object.entries(budgets)
      .filter(([room]) => room in rooms)
      .map(([room, budget]) => [room, Math.min(budget, rooms[room])]),
  );
}

if (isMain(import.meta.url)) {
  const budgets = JSON.parse(readFileSync(BUDGETS, 'utf8'));
  const rooms = measureRooms();
  if (process.argv[2] === '--update')
    writeFileSync(BUDGETS, `${JSON.stringify(lowerBudgets(rooms, budgets), null, 2)}\n`);
  const problems = findExcess(rooms, budgets);
  for (const problem of problems) say(problem);
  if (problems.length > 0) process.exitCode = 1;
  else say(`budgets: ${Object.keys(rooms).length} rooms, none above its budget`);
}
