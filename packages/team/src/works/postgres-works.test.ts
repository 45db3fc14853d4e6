import { testWorkStore } from '../../../core/src/testing/work-store-contract.ts';
import { databaseWithProjects, openTestWorks } from '../testing/test-works.ts';

testWorkStore('PostgreSQL', async () => openTestWorks(await databaseWithProjects()));
