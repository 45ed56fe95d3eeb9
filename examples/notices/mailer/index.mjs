// Lambda's Node.js has these two clients of the AWS SDK, so there is nothing to install or bundle.
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { createHandler } from './mail-notice.mjs';

const { ADDRESSES_TABLE, SENDER } = process.env;
const dynamodb = new DynamoDBClient({});
// A daily run sends all of its notices at once. SES limits mails a second.
const ses = new SESv2Client({ maxAttempts: 10, retryMode: 'adaptive' });

export const handler = createHandler({
  async findAddresses(trunkGroup) {
    const { Item } = await dynamodb.send(
      new GetItemCommand({
        TableName: ADDRESSES_TABLE,
        Key: { service_trunk_group: { S: trunkGroup } },
      }),
    );
    return Item?.addresses?.SS ?? [];
  },
  async sendMail({ to, subject, text }) {
    await ses.send(
      new SendEmailCommand({
        FromEmailAddress: SENDER,
        Destination: { ToAddresses: to },
        Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: text } } } },
      }),
    );
  },
});
