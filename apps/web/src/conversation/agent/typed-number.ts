/** Numbers of a menu as they are typed, digit by digit: one that can only mean one item chooses it. Pure. */
export interface TypedNumber {
  /** All digits so far; nothing where they mean no item. */
  readonly digits: string;
  /** The item they mean as they stand. */
  readonly meant: number | undefined;
  /** More digits would mean nothing else. */
  readonly isSure: boolean;
}

export function typeDigit(before: string, digit: string, numbers: readonly number[]): TypedNumber {
  const beginWith = (digits: string): readonly number[] =>
    numbers.filter((number) => String(number).startsWith(digits));
  const digits = [before + digit, digit].find((typed) => beginWith(typed).length > 0);
  if (digits === undefined) return { digits: '', meant: undefined, isSure: false };
  const meant = numbers.find((number) => String(number) === digits);
  return { digits, meant, isSure: meant !== undefined && beginWith(digits).length === 1 };
}
