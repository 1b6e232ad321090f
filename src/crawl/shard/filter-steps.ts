import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { hostKey } from '../../core/partition.ts'
import type { LinkStep } from './link-pipe.ts'

export function createFilterSteps(settings: CrawlSettings): LinkStep[] {
  const hosts = new Set(settings.seeds.map((seed) => hostKey(new URL(seed).href)))
  const re = settings.restrict === null ? null : new RegExp(settings.restrict)
  return [{ name: 'scope', run: ({ url }) => ((re === null ? hosts.has(hostKey(url)) : re.test(url)) ? null : 'scope') }]
}
