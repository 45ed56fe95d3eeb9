import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback;

/**
 * Gets tokens as a producer or consumer of Kafka does (KIP-768): one for each line that it reads.
 * Writes {"ok": ..., "token": ...}. {@code default} is the library as it comes.
 */
public final class KafkaClient {
  private static OAuthBearerLoginCallbackHandler createHandler(String mode) {
    var url = System.getenv("TOKEN_URL");
    if (mode.equals("ready")) {
      System.setProperty("org.apache.kafka.sasl.oauthbearer.allowed.urls", url);
    }
    var definition = new ConfigDef();
    SaslConfigs.addClientSaslSupport(definition);
    var settings =
        Map.of(
            "sasl.oauthbearer.token.endpoint.url", url,
            "sasl.oauthbearer.jwt.retriever.class",
                "org.apache.kafka.common.security.oauthbearer.ClientCredentialsJwtRetriever");
    var options =
        Map.of(
            "clientId", System.getenv("CLIENT_ID"),
            "clientSecret", System.getenv("CLIENT_SECRET"),
            "scope", "messaging:view");
    var module = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";
    var entry = new AppConfigurationEntry(module, LoginModuleControlFlag.REQUIRED, options);
    var handler = new OAuthBearerLoginCallbackHandler();
    handler.configure(definition.parse(settings), "OAUTHBEARER", List.of(entry));
    return handler;
  }

  public static void main(String[] args) throws Exception {
    OAuthBearerLoginCallbackHandler handler = null;
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, Object> answer;
      try {
        if (handler == null) handler = createHandler(args[1]);
        var callback = new OAuthBearerTokenCallback();
        handler.handle(new Callback[] {callback});
        if (callback.token() == null) throw new IllegalStateException(callback.errorDescription());
        answer = Map.of("ok", true, "token", callback.token().value());
      } catch (Exception error) {
        var why = error.getClass().getSimpleName() + ": " + error.getMessage();
        answer = Map.of("ok", false, "why", why.substring(0, Math.min(200, why.length())));
      }
      System.out.println(JSONObjectUtils.toJSONString(answer));
    }
  }
}
