/** The results of tests as JUnit XML, which CI servers read. Pure. */
import type { PackageTestReport } from '@crewagent/protocol/package-tests';

export function toJUnit({ package: { name }, tests }: PackageTestReport): string {
  const failed = tests.filter(({ ok }) => !ok).length;
  const seconds = tests.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${toXml(name)}" tests="${tests.length}" failures="${failed}" time="${seconds}">`,
    ...tests.flatMap(({ name: title, file, durationMs, failures }) => [
      `  <testcase name="${toXml(title)}" classname="${toXml(file)}" time="${durationMs / 1_000}">`,
      ...failures.map(
        ({ expected, message, diff = '' }) =>
          `    <failure type="${toXml(expected)}" message="${toXml(message)}">${toXml(diff)}</failure>`,
      ),
      '  </testcase>',
    ]),
    '</testsuite>',
    '',
  ].join('\n');
}

/** Characters that XML does not allow are left out. */
function toXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
