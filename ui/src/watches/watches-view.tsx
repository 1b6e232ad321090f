import { Page } from '../kit/page.tsx'
import { LoadingState } from '../kit/states.tsx'

export default function WatchesView() {
  return (
    <Page title="Watches">
      <LoadingState />
    </Page>
  )
}
