import { Page } from '../kit/page.tsx'
import { LoadingState } from '../kit/states.tsx'

export default function ProfilesView() {
  return (
    <Page title="Profiles">
      <LoadingState />
    </Page>
  )
}
