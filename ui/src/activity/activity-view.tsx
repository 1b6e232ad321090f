import { Page } from '../kit/page.tsx'
import { LoadingState } from '../kit/states.tsx'

export default function ActivityView() {
  return (
    <Page title="Activity">
      <LoadingState />
    </Page>
  )
}
