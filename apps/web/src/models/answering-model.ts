/** The model that answers where nobody chooses another: the environment goes before the settings. Pure. */
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

/** Somebody chose it, and nothing is known against it. What is only left over is no choice. */
export function isSetUp(choices: ModelChoices, failed: ReadonlySet<string>): boolean {
  const { name } = answeringModel(choices);
  return Boolean(choices.environment.model || choices.defaultModel) && !failed.has(name);
}

/** A model of one's own is the default: another one does not take its place by itself. */
export function hasOwnDefault(choices: Pick<ModelChoices, 'defaultModel'> | undefined): boolean {
  return choices?.defaultModel !== undefined && choices.defaultModel !== 'rehearsal';
}
