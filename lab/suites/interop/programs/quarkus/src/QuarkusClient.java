import io.quarkus.oidc.client.runtime.AbstractTokensProducer;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Gets tokens as a Quarkus application does: one for each line that it reads. Writes {"ok": ...,
 * "token": ...}.
 */
@QuarkusMain
public final class QuarkusClient extends AbstractTokensProducer implements QuarkusApplication {
  @Override
  public int run(String... args) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      var answer = new JsonObject();
      try {
        answer.put("ok", true).put("token", awaitTokens().getAccessToken());
      } catch (Exception error) {
        var why = error.getClass().getSimpleName() + ": " + error.getMessage();
        answer.put("ok", false).put("why", why);
      }
      System.out.println(answer.encode());
    }
    return 0;
  }
}
