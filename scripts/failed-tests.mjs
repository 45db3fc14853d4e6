/**
 * A reporter for vitest: writes the tests that failed, and why, to the file that `CREWAGENT_FAILED_TESTS` names. `npm test`
 * prints that at its very end, where thousands of lines do not hide it.
 */
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const MAX_LINES = 30;
const MAX_PLACES = 5;

export default class FailedTests {
  onTestRunEnd(modules, unhandled) {
    const path = process.env.CREWAGENT_FAILED_TESTS;
    if (!path) return;
    const failures = modules.flatMap((module) => [
      ...toFailures(module.relativeModuleId, module.errors()),
      ...[...module.children.allTests('failed')].flatMap((test) =>
        toFailures(`${module.relativeModuleId} > ${test.fullName}`, test.result().errors),
      ),
    ]);
    const lost = toFailures('outside of any test', unhandled);
    writeFileSync(path, [...failures, ...lost].join('\n'));
  }
}

function toFailures(name, errors = []) {
  return errors.map(({ stack, message, diff }) => {
    const words = stripVTControlCharacters(`${message}\n${diff ?? ''}`)
      .trimEnd()
      .split('\n');
    const places = (stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
    const shown = [...words.slice(0, MAX_LINES), ...places.slice(0, MAX_PLACES)].map((line) => `    ${line}`);
    return [`✗ ${name}`, ...shown, ''].join('\n');
  });
}
