import { graphViewSuite } from '../../conformance/graph-view-suite.testkit.ts'
import { hostViewSuite } from '../../conformance/host-view-suite.testkit.ts'
import type { ViewingEngine } from '../../conformance/views.testkit.ts'
import { createKeptCounter } from '../documents/kept-counts.ts'
import { openCatalogForReading } from '../folder/folder.ts'
import { type EmbeddedSystem, embeddedEngine } from '../testkit/store.testkit.ts'
import { createEmbeddedGraphView } from './graph-view.ts'
import { createEmbeddedHostView } from './host-view.ts'

const engine: ViewingEngine = {
  ...embeddedEngine,
  openViews(system, options) {
    const { folder } = system as EmbeddedSystem
    const db = openCatalogForReading(folder)
    const hosts = createEmbeddedHostView({ folder, db, ...options })
    return {
      hosts,
      graph: createEmbeddedGraphView(db),
      countKept: createKeptCounter(db),
      close() {
        hosts.close()
        db.close()
      },
    }
  },
}

hostViewSuite(engine)
graphViewSuite(engine)
