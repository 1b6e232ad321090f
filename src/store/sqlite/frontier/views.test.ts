import { graphViewSuite } from '../../conformance/graph-view-suite.testkit.ts'
import { hostViewSuite } from '../../conformance/host-view-suite.testkit.ts'
import type { ViewingEngine } from '../../conformance/views.testkit.ts'
import { openCatalogForReading } from '../folder/folder.ts'
import { createSqliteKeptCounter } from '../folder/status.ts'
import { type SqliteSystem, sqliteEngine } from '../testkit/store.testkit.ts'
import { createSqliteGraphView } from './graph-view.ts'
import { createSqliteHostView } from './host-view.ts'

const engine: ViewingEngine = {
  ...sqliteEngine,
  openViews(system, options) {
    const { folder } = system as SqliteSystem
    const db = openCatalogForReading(folder)
    const hosts = createSqliteHostView({ folder, db, ...options })
    return {
      hosts,
      graph: createSqliteGraphView(db),
      countKept: createSqliteKeptCounter(db),
      close() {
        hosts.close()
        db.close()
      },
    }
  },
}

hostViewSuite(engine)
graphViewSuite(engine)
