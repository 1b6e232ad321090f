import { accountsSuite } from '../conformance/accounts-suite.testkit.ts'
import { annotationsSuite } from '../conformance/annotations-suite.testkit.ts'
import { inboxMarksSuite } from '../conformance/inbox-marks-suite.testkit.ts'
import { inboxSuite } from '../conformance/inbox-suite.testkit.ts'
import { profilesSuite } from '../conformance/profiles-suite.testkit.ts'
import { archiveEngine, type ArchiveSystem } from './archive-system.testkit.ts'
import { withPeople } from './people-engines.testkit.ts'
import { usePostgres } from './postgres.testkit.ts'
usePostgres()
const engine = withPeople(archiveEngine, { addressOf: (s) => (s as ArchiveSystem).address, openCollection: (pool) => ({ find: async (ids) => pool.query(`SELECT v.id, (SELECT owner FROM holds h WHERE h.version=v.id LIMIT 1) AS "heldBy" FROM unnest($1::bigint[]) WITH ORDINALITY g(id, o) JOIN versions v ON v.id=g.id ORDER BY g.o`, [ids]) as any }) })
profilesSuite(engine)
annotationsSuite(engine)
accountsSuite(engine)
inboxSuite(engine)
inboxMarksSuite(engine)
