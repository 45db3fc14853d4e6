type Lines = Readonly<Record<string, number>>;

export function measureRooms(): Lines;
export function roomOf(path: string): string;
export function findExcess(rooms: Lines, budgets: Lines): string[];
export function lowerBudgets(rooms: Lines, budgets: Lines): Lines;
