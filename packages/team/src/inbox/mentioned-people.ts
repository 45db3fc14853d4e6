/** People whom a message names: `@Ada`, `@Ada Lovelace` or `@ada.lovelace`, the part of the address before the @. Pure. */
import { fold } from '@crewagent/protocol/folded-text';

export interface Nameable {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
}

export function findMentioned(text: string, people: readonly Nameable[]): string[] {
  if (!text.includes('@') && !text.includes('＠')) return [];
  const folded = fold(text);
  const firstNames = people.map(firstNameOf);
  const isUnique = (name: string): boolean => firstNames.filter((other) => other === name).length === 1;
  return people
    .filter((person) => {
      const first = firstNameOf(person);
      const names = [
        fold(person.name),
        fold(person.email.split('@')[0] ?? ''),
        ...(isUnique(first) ? [first] : []),
      ];
      return names.some((name) => name !== '' && toPattern(name).test(folded));
    })
    .map(({ personId }) => personId);
}

function firstNameOf({ name }: Nameable): string {
  return fold(name).split(/\s/u)[0] ?? '';
}

/** A name of letters with spaces between words ends where a word ends; Chinese has no such spaces. */
function toPattern(name: string): RegExp {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const end = /[a-z0-9]$/.test(name) ? '(?![a-z0-9])' : '';
  return new RegExp(`(?<![\\p{L}\\p{N}])@${escaped}${end}`, 'u');
}
