/**
 * A vitest reporter that writes failed tests and their errors to the file named by `CREWAGENT_FAILED_TESTS`. `npm test`
 * prints it at the end.
 */
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const MAX_LINES = 30;
const MAX_STACK_LINES = 5;

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
    const messageLines = stripVTControlCharacters(`${message}\n${diff ?? ''}`)
      .trimEnd()
      .split('\n');
    const stackLines = (stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
    const shown = [...messageLines.slice(0, MAX_LINES), ...stackLines.slice(0, MAX_STACK_LINES)].map(
      (line) => `    ${line}`,
    );
    return [`✗ ${name}`, ...shown, ''].join('\n');
  });
}
