import { startCluster } from '../kit/service.ts'
import { testServiceCrawls } from '../watch/service-crawl.ts'

testServiceCrawls('cluster', startCluster)
