import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import java.lang.reflect.Field;
import java.util.Arrays;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** DynamoDB Local on 127.0.0.1 only. It has no option for its address, and listens on all of them. */
public final class LoopbackServer {
    public static void main(String[] arguments) throws Exception {
        DynamoDBProxyServer dynamodb = ServerRunner.createServerFromCommandLineArgs(arguments);
        for (Connector connector : jettyOf(dynamodb).getConnectors()) {
            ((ServerConnector) connector).setHost("127.0.0.1");
        }
        dynamodb.start();
        dynamodb.join();
    }

    private static Server jettyOf(DynamoDBProxyServer dynamodb) throws IllegalAccessException {
        Field field =
                Arrays.stream(DynamoDBProxyServer.class.getDeclaredFields())
                        .filter(candidate -> candidate.getType() == Server.class)
                        .findFirst()
                        .orElseThrow();
        field.setAccessible(true);
        return (Server) field.get(dynamodb);
    }
}
