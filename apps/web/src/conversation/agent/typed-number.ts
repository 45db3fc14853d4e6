/** Menu numbers typed digit by digit: a number that can only mean one item chooses it. Pure. */
export interface TypedNumber {
  /** All digits so far; empty if they match no item. */
  readonly digits: string;
  /** The item they mean so far. */
  readonly meant: number | undefined;
  /** Further digits could not mean another item. */
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
