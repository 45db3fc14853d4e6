/** `crewagent team init` in a process of its own: `init-driver.js DATABASE_URL`. */
import { initTeam } from '../../init-team.ts';

await initTeam(process.argv[2] ?? '', {});
