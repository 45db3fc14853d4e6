/** Which model answers: by default, where the environment overrides the settings, or of a run. Pure. */
import type { RunModel } from '@crewagent/protocol/model';

export interface ModelChoices {
  readonly defaultModel?: string | undefined;
  readonly environment: { readonly model?: string | undefined };
}

export interface AnsweringModel {
  readonly kind: 'environment' | 'settings' | 'rehearsal';
  readonly name: string;
}

export function answeringModel({ defaultModel, environment }: ModelChoices): AnsweringModel {
  const name = environment.model || defaultModel;
  if (name === undefined || name === 'rehearsal') return { kind: 'rehearsal', name: 'rehearsal' };
  return { kind: environment.model ? 'environment' : 'settings', name };
}

/** A model was chosen explicitly, and no test of it failed. The fallback does not count as a choice. */
export function isSetUp(choices: ModelChoices, failed: ReadonlySet<string>): boolean {
  const { name } = answeringModel(choices);
  return Boolean(choices.environment.model || choices.defaultModel) && !failed.has(name);
}

/** The default is a real model: another one does not replace it automatically. */
export function hasOwnDefault(choices: Pick<ModelChoices, 'defaultModel'> | undefined): boolean {
  return choices?.defaultModel !== undefined && choices.defaultModel !== 'rehearsal';
}

export function nameOfModel(model: RunModel): string {
  switch (model.kind) {
    case 'rehearsal':
      return 'rehearsal';
    case 'host':
      return model.name;
    case 'replay':
      return model.file;
    case 'provider':
      return model.profile ?? model.settings.model;
  }
}
