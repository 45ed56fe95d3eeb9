import { type SampleData, trunkGroup } from './sample-data.ts';

/** A picture of the documentation. */
interface Picture {
  /** Of the file in docs/images. */
  readonly name: string;
  readonly path: (data: SampleData) => string;
  readonly scheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

const explainPage = ({ clientId }: SampleData) =>
  `/explain?clientId=${clientId}&scope=calls%3Amanage`;
const clientPage = ({ clientId }: SampleData) => `/clients/${clientId}`;

export const pictures: readonly Picture[] = [
  { name: 'portal-client', path: clientPage, scheme: 'light', width: 1000, height: 560 },
  { name: 'portal-explain', path: explainPage, scheme: 'dark', width: 1000, height: 400 },
  {
    name: 'portal-limits',
    path: () => `/trunk-groups/${trunkGroup}`,
    scheme: 'light',
    width: 1000,
    height: 610,
  },
  { name: 'portal-narrow', path: () => '/clients', scheme: 'light', width: 390, height: 640 },
];
