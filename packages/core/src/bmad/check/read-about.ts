/**
 * Reads `about.json`. Its problems are warnings and the field is left out: it is for people, and a package runs without it. Only an
 * installation is refused if the package is for other versions of CrewAgent.
 */
import { type About, aboutSchema } from '@crewagent/protocol/about';
import { isObject } from '@crewagent/protocol/json-object';
import type { PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';
import { describeIssue, locate } from '../findings/schema-findings.ts';
import { readJson } from './read-document.ts';
import { satisfies } from './version-range.ts';

const FILE = 'about.json';

export async function readAbout(
  files: PackageFiles,
  runtimeVersion: string,
  findings: Findings,
): Promise<About | undefined> {
  if (!files.paths.has(FILE)) return undefined;
  const document = await readJson(files, FILE, findings);
  if (!document) return undefined;
  const { about, error } = parseAbout(document.value);
  for (const issue of error?.issues ?? [])
    findings.add('ABOUT_INVALID', {
      ...locate({ file: FILE }, issue.path),
      ...describeIssue(issue, { file: FILE, value: document.value, schema: aboutSchema }),
    });
  checkIcon(about, files, findings);
  checkEngines(about, runtimeVersion, findings);
  return about;
}

/** What is valid of the document, field by field. */
export function parseAbout(value: unknown) {
  const { data, error } = aboutSchema.safeParse(value);
  if (data) return { about: data };
  const fields = isObject(value) ? Object.entries(value) : [];
  const valid = fields.filter(([key, field]) => aboutSchema.safeParse({ [key]: field }).success);
  return { about: Object.fromEntries(valid) as About, error };
}

function checkIcon({ icon }: About, files: PackageFiles, findings: Findings): void {
  if (icon === undefined || files.paths.has(icon)) return;
  findings.add('ABOUT_INVALID', {
    file: FILE,
    pointer: '/icon',
    message: 'the package does not contain the file of its icon',
    fix: 'Add the file, or correct its path; it is relative to the folder of about.json.',
  });
}

function checkEngines({ engines }: About, version: string, findings: Findings): void {
  const range = engines?.crewagent;
  if (range === undefined) return;
  const isSatisfied = satisfies(version, range);
  if (isSatisfied) return;
  const at = { file: FILE, pointer: '/engines/crewagent' };
  if (isSatisfied === undefined)
    findings.add('ABOUT_INVALID', {
      ...at,
      message: `"${range.slice(0, 80)}" is not a range of versions`,
      fix: 'Write it as npm does, such as ">=0.1.0 <2".',
    });
  else
    findings.add('ENGINE_UNSUPPORTED', {
      ...at,
      message: `the package is for CrewAgent ${range.slice(0, 80)}, and this is ${version}`,
      fix: 'Install a version of the package for this CrewAgent, or update CrewAgent.',
    });
}
