import { FRONT_PAGE_WORDS } from './news-pages.ts'

/** Three ways to watch one paper, in the form that `erace profile import` reads. */
export function demoProfiles(origin: string): unknown[] {
  const articles = { uri: `${origin}/`, every: '4s', depth: 1, scope: 'host', process: 'filter' }
  return [
    {
      id: 'demo-space',
      name: 'Space and science',
      sources: [articles],
      interests: {
        keywords: [
          { key: 'space', weight: 3 },
          { key: 'probe', weight: 3 },
          { key: 'telescope', weight: 3 },
          { key: 'satellite', weight: 3 },
          { key: 'moon', weight: 2 },
          { key: 'star', weight: 1 },
          { key: 'scientists', weight: 2 },
          { key: 'research', weight: 2 },
        ],
        exclude: [FRONT_PAGE_WORDS],
        threshold: 4,
      },
      urgency: 2,
    },
    {
      id: 'demo-council',
      name: 'City council',
      sources: [articles],
      interests: {
        keywords: [
          { key: 'city council', weight: 4 },
          { key: 'budget', weight: 2 },
          { key: 'tram', weight: 1 },
        ],
        exclude: ['sponsored', FRONT_PAGE_WORDS],
        threshold: 4,
      },
      urgency: 3,
    },
    {
      id: 'demo-front-page',
      name: 'Front page, every change',
      sources: [{ uri: `${origin}/`, every: '10s', depth: 0, scope: 'page', process: 'track' }],
      urgency: 1,
    },
  ]
}
