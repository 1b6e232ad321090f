import { startUp } from '../kit/service.ts'
import { testServiceCrawls } from './service-crawl.ts'

testServiceCrawls('embedded', startUp)
