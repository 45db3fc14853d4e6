export { openDatabase } from './database/database.ts';
